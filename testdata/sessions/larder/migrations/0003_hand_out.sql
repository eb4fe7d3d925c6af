create table hand_out (
    request_id uuid primary key,
    lot_id bigint not null references lot (id),
    grams integer not null check (grams > 0),
    at timestamptz not null default now()
);
