# From transcripts to answers: run by `make demo`, which sets MEM (the program) and DB (the memory to make).
set -eu

say() { printf '\n== %s\n\n' "$1"; }

# Status 1 means "not enough evidence", which is one of the things to see here.
show() {
    printf '$ mem'
    for word in "$@"; do
        case $word in
            *[!A-Za-z0-9./_-]*) printf ' "%s"' "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    printf '\n'
    "$MEM" "$@" --db "$DB" || [ $? -eq 1 ]
    printf '\n'
}

rm -f "$DB" "$DB-wal" "$DB-shm"

say "1. Compile five transcripts into one memory file"
show ingest examples/river-house.jsonl examples/coding-session.jsonl examples/familia.jsonl examples/verein.jsonl examples/xiaozu.jsonl
show status

say "2. Ask; each answer comes with the words behind it"
show ask "When does the support group meet?" -k 3
show ask "What is the name of Marit's greyhound?" -k 3
show ask "What is the response time of the search endpoint now?" -k 3

say "3. Ask in other languages"
show ask "¿Dónde se celebra el cumpleaños de la abuela?" -k 3
show ask "Wann findet das Sommerfest statt?" -k 3
show ask "期中报告什么时候交？" -k 3

say "4. Ask what nobody said"
show ask "What is the name of Teo's parrot?" -k 3

say "5. Only the facts, without an answer"
show search "marathon" -k 3

printf 'The memory is the file %s. Ask it anything: %s ask "..." --db %s\n' "$DB" "$MEM" "$DB"
