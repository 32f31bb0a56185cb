module metaroce/tandem

go 1.26
