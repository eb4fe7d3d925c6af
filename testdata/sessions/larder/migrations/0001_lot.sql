create table lot (
    id bigint generated always as identity primary key,
    article text not null,
    grams integer not null check (grams >= 0),
    best_before date not null,
    supplier text not null
);
