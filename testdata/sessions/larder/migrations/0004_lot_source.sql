alter table lot add column source text;
