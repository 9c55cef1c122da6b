<?php
/**
 * A verifier of provable rounds, written from deploy/docs/fairness/specification.md alone: whatever it needed to know
 * had to be written there. Section numbers below are that page's.
 *
 *   php verifier.php ROUND.json [--key=HEX] [--witness-key=HEX] [--cosigner=NAME+ID+KEY] [--receipt=FILE]
 *                               [--receipt-key=HEX] [--require-signed]   (keys repeatable)
 *   php verifier.php --batch      reads a JSON array of {"file", "keys", "trusted_witnesses", "witness_keys", "cosigners",
 *                                 "receipts", "receipt_keys", "require_signed"}, "file" and "receipts" as text; prints an
 *                                 array of {"status", "as_of", "could_choose", "published", "caveats", "checks"}
 *   php verifier.php --settle     reads {"rules", "rounds"}, each round with "cards" and "stakes"; prints what becomes of each stake
 *   php verifier.php --vectors=FILE   recomputes the vectors, and prints the members that it did
 *
 * Exit status: 0 verified, 1 failed, 2 the file can't be read, 3 not verified, 4 forced, 5 not cosigned.
 */

declare(strict_types=1);

/** A check failed. */
class Failed extends Exception {}
/** A text is no JSON of section 2. */
final class Unreadable extends Failed {}
/** A check is not possible with what the file or the reader has. */
final class Later extends Exception {}
/** A check does not apply to this round. */
final class Absent extends Exception {}

function hold(bool $condition, string $otherwise): void
{
    if (!$condition) {
        throw new Failed($otherwise);
    }
}

// Section 2: JSON

/** An object of a file: its members in the order of the file. PHP turns names such as "1" into integers. */
final class Members
{
    /** @param array<array-key, mixed> $all */
    public function __construct(public array $all = []) {}
}

final class Reader
{
    private const MOST = 9007199254740991;
    private int $at = 0;

    private function __construct(private string $text) {}

    public static function read(string $text): mixed
    {
        if (preg_match('//u', $text) !== 1) {
            throw new Unreadable('not UTF-8');
        }
        $reader = new self($text);
        $value = $reader->value(0);
        if ($reader->next() !== '') {
            throw new Unreadable("something follows the value at byte $reader->at");
        }
        return $value;
    }

    /** Skip spaces; return the next byte, or nothing at the end. */
    private function next(): string
    {
        $this->at += strspn($this->text, " \t\r\n", $this->at);
        return $this->text[$this->at] ?? '';
    }

    private function value(int $depth): mixed
    {
        if ($depth > 64) {
            throw new Unreadable('nested too deeply');
        }
        switch ($this->next()) {
            case '{':
                return $this->members($depth);
            case '[':
                return $this->items($depth);
            case '"':
                return $this->string();
        }
        if (preg_match('/\G(?:true|false|null)/', $this->text, $word, 0, $this->at) === 1) {
            $this->at += strlen($word[0]);
            return ['true' => true, 'false' => false, 'null' => null][$word[0]];
        }
        if (preg_match('/\G-?(?:0|[1-9][0-9]{0,15})(?![0-9.eE])/', $this->text, $digits, 0, $this->at) !== 1) {
            throw new Unreadable("no value at byte $this->at");
        }
        $this->at += strlen($digits[0]);
        $number = (int) $digits[0];
        if (abs($number) > self::MOST) {
            throw new Unreadable("$digits[0] is out of range");
        }
        return $number;
    }

    private function members(int $depth): Members
    {
        $members = new Members();
        $this->at++;
        if ($this->next() === '}') {
            $this->at++;
            return $members;
        }
        while (true) {
            if ($this->next() !== '"') {
                throw new Unreadable("no name at byte $this->at");
            }
            $name = $this->string();
            if (array_key_exists($name, $members->all)) {
                throw new Unreadable("\"$name\" occurs twice");
            }
            if ($this->next() !== ':') {
                throw new Unreadable("no colon at byte $this->at");
            }
            $this->at++;
            $members->all[$name] = $this->value($depth + 1);
            if (!$this->another('}')) {
                return $members;
            }
        }
    }

    /** @return list<mixed> */
    private function items(int $depth): array
    {
        $items = [];
        $this->at++;
        if ($this->next() === ']') {
            $this->at++;
            return $items;
        }
        do {
            $items[] = $this->value($depth + 1);
        } while ($this->another(']'));
        return $items;
    }

    private function another(string $end): bool
    {
        $byte = $this->next();
        if ($byte !== ',' && $byte !== $end) {
            throw new Unreadable("no comma at byte $this->at");
        }
        $this->at++;
        return $byte === ',';
    }

    private function string(): string
    {
        if (preg_match('/\G"((?:[^"\\\\\x00-\x1f]++|\\\\(?:["\\\\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"/', $this->text, $found, 0, $this->at) !== 1) {
            throw new Unreadable("no string at byte $this->at");
        }
        $this->at += strlen($found[0]);
        $plain = $found[1];
        if (str_contains($plain, '\\')) {
            $escaped = '/\\\\(?:u[dD]([89abAB][0-9a-fA-F]{2})\\\\u[dD]([c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))/';
            $plain = preg_replace_callback($escaped, self::unescaped(...), $plain, -1, $count, PREG_UNMATCHED_AS_NULL);
        }
        if (str_contains($plain, "\0")) {
            throw new Unreadable('U+0000 in a string');
        }
        return $plain;
    }

    /** @param array<?string> $found */
    private static function unescaped(array $found): string
    {
        if (isset($found[4])) {
            return ['b' => "\x08", 'f' => "\f", 'n' => "\n", 'r' => "\r", 't' => "\t"][$found[4]] ?? $found[4];
        }
        if (isset($found[1])) {
            $point = 0x10000 + ((hexdec($found[1]) - 0x800) << 10) + hexdec($found[2]) - 0xc00;
            return iconv('UTF-32BE', 'UTF-8', pack('N', $point));
        }
        $point = hexdec($found[3]);
        if ($point >= 0xd800 && $point < 0xe000) {
            throw new Unreadable('a lone surrogate');
        }
        return iconv('UTF-32BE', 'UTF-8', pack('N', $point));
    }
}

function canonical(mixed $value): string
{
    if ($value instanceof Members) {
        $names = array_map(strval(...), array_keys($value->all));
        usort($names, fn (string $a, string $b) => strcmp(utf16($a), utf16($b)));
        $pairs = array_map(fn (string $name) => quoted($name) . ':' . canonical($value->all[$name]), $names);
        return '{' . implode(',', $pairs) . '}';
    }
    if (is_array($value)) {
        return '[' . implode(',', array_map(canonical(...), $value)) . ']';
    }
    return is_string($value) ? quoted($value) : json_encode($value);
}

function utf16(string $text): string
{
    return iconv('UTF-8', 'UTF-16BE', $text);
}

function quoted(string $text): string
{
    return json_encode($text, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_LINE_TERMINATORS | JSON_THROW_ON_ERROR);
}

// Section 1: values

const CARD = '/^[A23456789TJQK][cdhs]$/D';
const UUID = '/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/D';
const TIME = '/^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{6}))?Z$/D';
const ZEROS = '0000000000000000000000000000000000000000000000000000000000000000';
const SPOT = '/^[a-z][a-z0-9_]{0,31}$/D';
const MONEY = ['real' => 1, 'play' => 2];
const ENDS = ['WagerConfirmed' => 1, 'SeatPassed' => 2, 'SeatTimedOut' => 3];
const CAUSES = ['malfunction' => 1, 'misdeal' => 2, 'wrong_rules' => 3, 'fraud' => 4, 'other' => 5];
const PLAYED = 1;
const VOIDED = 2;
const SHOE = 4;

function u64(int $number): string
{
    return pack('J', $number);
}

/** B(x) of section 1. */
function sized(string $bytes): string
{
    return u64(strlen($bytes)) . $bytes;
}

function sha(string $bytes): string
{
    return hash('sha256', $bytes, true);
}

function hmac(string $key, string $bytes): string
{
    return hash_hmac('sha256', $bytes, $key, true);
}

function uuid(string $uuid): string
{
    return hex2bin(str_replace('-', '', $uuid));
}

/** Microseconds since 1970. */
function micros(string $time): int
{
    preg_match(TIME, $time, $part);
    $seconds = gmmktime((int) $part[4], (int) $part[5], (int) $part[6], (int) $part[2], (int) $part[3], (int) $part[1]);
    return $seconds * 1_000_000 + (int) ($part[7] ?? 0);
}

/** A product or a sum that PHP would round is refused. */
function exact(int|float $number): int
{
    hold(is_int($number), 'an amount is too large');
    return $number;
}

function same(mixed $one, mixed $other): bool
{
    return canonical($one) === canonical($other);
}

// Ed25519: a key's y is above 1 and below 2^255 - 20. libsodium refuses keys and signatures of small order.
function signed(string $message, string $signature, string $key): bool
{
    if (strlen($key) !== SODIUM_CRYPTO_SIGN_PUBLICKEYBYTES || strlen($signature) !== SODIUM_CRYPTO_SIGN_BYTES) {
        return false;
    }
    $y = strrev($key) & ("\x7f" . str_repeat("\xff", 31));
    $least = str_repeat("\0", 31) . "\x01";
    $most = "\x7f" . str_repeat("\xff", 30) . "\xec";
    return strcmp($y, $least) > 0 && strcmp($y, $most) < 0 && sodium_crypto_sign_verify_detached($signature, $message, $key);
}

/** A player's signature: the first byte of a key says its kind. */
function player_signed(string $message, string $signature, string $key): bool
{
    return strlen($key) === 33 && $key[0] === "\x01" && signed($message, $signature, substr($key, 1));
}

// Section 4: Merkle trees

function leaf(string $data): string
{
    return sha("\0" . $data);
}

function node(string $left, string $right): string
{
    return sha("\x01" . $left . $right);
}

/** @param list<string> $leaves hashes */
function root(array $leaves): string
{
    $count = count($leaves);
    if ($count < 2) {
        return $leaves[0] ?? sha('');
    }
    for ($split = 1; $split * 2 < $count; $split *= 2);
    return node(root(array_slice($leaves, 0, $split)), root(array_slice($leaves, $split)));
}

/** @param list<string> $path */
function included(string $hash, int $index, int $size, array $path, string $root): bool
{
    $last = $size - 1;
    if ($index < 0 || $index > $last) {
        return false;
    }
    foreach ($path as $other) {
        if ($last === 0) {
            return false;
        }
        if ($index % 2 === 1 || $index === $last) {
            $hash = node($other, $hash);
            while ($index % 2 === 0 && $index !== 0) {
                $index >>= 1;
                $last >>= 1;
            }
        } else {
            $hash = node($hash, $other);
        }
        $index >>= 1;
        $last >>= 1;
    }
    return $last === 0 && $hash === $root;
}

// Section 14: signed notes

const NOTE_KEY = "\x01";
const COSIGNER_KEY = "\x04";

/** @return array{text: string, origin: string, size: int, root: string, signatures: list<array{name: string, id: string, signature: string}>} */
function note(string $note): array
{
    $at = strrpos($note, "\n\n");
    hold($at !== false, 'a note has no empty line');
    [$text, $lines] = [substr($note, 0, $at + 1), substr($note, $at + 2)];
    hold(preg_match('~^([\x20-\x7e]+)\n([1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n([\x20-\x7e]+\n)*$~D', $text, $head) === 1 && (int) $head[2] < 2 ** 53, 'a note is no checkpoint');
    hold(str_ends_with($lines, "\n"), 'the last line of a note has no end');
    $signatures = [];
    foreach (explode("\n", substr($lines, 0, -1)) as $line) {
        hold(preg_match('~^\x{2014} ([!-*,-\x7e]+) ([A-Za-z0-9+/]+={0,2})$~Du', $line, $part) === 1, 'a line of a note is no signature');
        $raw = base64($part[2]);
        hold(strlen($raw) > 4, 'a signature of a note is too short');
        hold(!in_array([$part[1], substr($raw, 0, 4)], array_map(fn ($each) => [$each['name'], $each['id']], $signatures), true), 'a note has two signatures of a key');
        $signatures[] = ['name' => $part[1], 'id' => substr($raw, 0, 4), 'signature' => substr($raw, 4)];
    }
    hold(count($signatures) <= 64, 'a note has more than 64 signatures');
    return ['text' => $text, 'origin' => $head[1], 'size' => (int) $head[2], 'root' => base64($head[3]), 'signatures' => $signatures];
}

function base64(string $text): string
{
    $raw = base64_decode($text, true);
    hold($raw !== false && base64_encode($raw) === $text, 'a text is no base64');
    return $raw;
}

function key_id(string $name, string $type, string $key): string
{
    return substr(sha("$name\n$type$key"), 0, 4);
}

function cosigned_bytes(string $text, int $time): string
{
    return "cosignature/v1\ntime $time\n$text";
}

/** Name, id and key of a cosigner. @return array{string, string, string} */
function cosigner(string $key): array
{
    $known = preg_match('~^([^\s+"]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$~D', $key, $part) === 1;
    $typed = $known ? base64($part[3]) : '';
    hold($known && $typed[0] === COSIGNER_KEY && bin2hex(key_id($part[1], COSIGNER_KEY, substr($typed, 1))) === $part[2], 'a cosigner is none');
    return [$part[1], hex2bin($part[2]), substr($typed, 1)];
}

// Sections 3 and 5: the log

/** @param array<string, mixed> $event */
function seal(array $event, Members $data, Members $metadata): string
{
    [$data, $metadata] = [canonical($data), canonical($metadata)];
    $numbers = pack('JJJNNJ', $event['position'], $event['id'], $event['transaction'], $event['version'], $event['schema'], micros($event['recorded_at']));
    $lengths = pack('NNNN', strlen($event['stream']), strlen($event['type']), strlen($data), strlen($metadata));
    return sha("casino.events.seal/1\0\0\0\0" . $numbers . $lengths . hex2bin($event['previous'])
        . $event['stream'] . $event['type'] . $data . $metadata);
}

// Sections 6, 7 and 13: drawings. Contributions are by seat: [bytes, public key].

function commitment(string $seed, string $table, string $shoe, int $number): string
{
    return sha("casino.baccarat.commitment.v2\0" . $seed . uuid($table) . uuid($shoe) . u64($number));
}

/** @param array<int, array{string, string}> $contributions */
function cut(string $commitment, string $links, array $contributions): string
{
    ksort($contributions);
    $all = '';
    foreach ($contributions as $seat => [$bytes, $key]) {
        $all .= chr($seat) . sized($key) . sized($bytes);
    }
    return sha("casino.baccarat.cut.v2\0" . $commitment . $links . pack('N', count($contributions)) . $all);
}

/** The key of a drawing; $links has of each link chain, index and L. */
function drawing_key(string $seed, string $cut, string $links = "\0"): string
{
    return hmac($seed, "casino.baccarat.draw.v2\0" . $cut . $links);
}

function contribution_bytes(string $table, string $commitment, string $links, int $seat, string $bytes): string
{
    return "casino.baccarat.contribution.v1\0" . uuid($table) . $commitment . $links . chr($seat) . sized($bytes);
}

/** @return Generator<int> */
function words(string $key): Generator
{
    for ($block = 0; true; $block++) {
        yield from unpack('N8', hmac($key, u64($block)));
    }
}

/** The seed of a round that draws its cards from what is left of a long shoe. */
function round_seed(string $seed, int $number): string
{
    return hmac($seed, "casino.baccarat.round-seed.v1\0" . u64($number));
}

/**
 * The first cards of a shoe, all of them without a count, less those that are out: of equal ones the first.
 * @param Generator<int> $words @param list<string> $out @return list<string>
 */
function shuffled(int $decks, Generator $words, ?int $count = null, array $out = []): array
{
    $shoe = [];
    foreach (str_split(str_repeat('cdhs', $decks)) as $suit) {
        foreach (str_split('A23456789TJQK') as $rank) {
            $shoe[] = $rank . $suit;
        }
    }
    foreach ($out as $card) {
        $at = array_search($card, $shoe, true);
        hold($at !== false, "more $card are out than the shoe has");
        array_splice($shoe, $at, 1);
    }
    $size = count($shoe);
    for ($place = 0; $place < ($count ?? $size); $place++) {
        $left = $size - $place;
        do {
            $word = $words->current();
            $words->next();
        } while ($word >= 2 ** 32 - 2 ** 32 % $left);
        $other = $place + $word % $left;
        [$shoe[$place], $shoe[$other]] = [$shoe[$other], $shoe[$place]];
    }
    return array_slice($shoe, 0, $count);
}

function card_leaf(int $place, string $card, string $salt): string
{
    return leaf("casino.baccarat.card.v1\0" . u64($place) . $card . $salt);
}

function salt(string $seed, int $place): string
{
    return hmac($seed, "casino.baccarat.salt.v1\0" . u64($place));
}

/** @param list<string> $cards */
function shoe_root(string $seed, array $cards): string
{
    return root(array_map(fn ($place) => card_leaf($place, $cards[$place], salt($seed, $place)), array_keys($cards)));
}

/** T; hashes, commitments, cut and links in bytes. */
function terms(string $table, int $number, string $shoe, int $place, string $cards, string $rules, string $commitment, string $cut, string $links, string $next): string
{
    return sha("casino.baccarat.terms.v1\0" . uuid($table) . u64($number) . uuid($shoe) . u64($place) . $cards . $rules
        . $commitment . $cut . $links . $next);
}

/** The id of a wager: that of its round, as a number, plus the seat. */
function wager_id(string $round, int $seat): string
{
    $bytes = uuid($round);
    for ($at = 15, $carry = $seat; $carry > 0 && $at >= 0; $at--) {
        $carry += ord($bytes[$at]);
        $bytes[$at] = chr($carry % 256);
        $carry = intdiv($carry, 256);
    }
    return bin2hex($bytes);
}

/** W, of stakes as asked, in the order of the rules. @param array<string, mixed> $wager with its id @param array<string, int> $asked */
function wager_bytes(string $terms, array $wager, string $currency, array $asked, string $nonce): string
{
    return "casino.baccarat.wager.v2\0" . $terms . uuid($wager['wager']) . uuid($wager['player']) . chr($wager['seat'])
        . chr(MONEY[$wager['money_type']]) . sized($currency) . stakes_bytes($asked) . $nonce;
}

/** @param array<string, int> $stakes */
function stakes_bytes(array $stakes): string
{
    $stakes = array_filter($stakes);
    $bytes = chr(count($stakes));
    foreach ($stakes as $spot => $stake) {
        $bytes .= sized($spot) . u64($stake);
    }
    return $bytes;
}

/** Amounts by spot in the order of the rules, which have all of these spots. @param array<string, int> $amounts @param array<string, mixed> $rules @return array<string, int> */
function in_rules_order(array $amounts, array $rules): array
{
    $spots = array_fill_keys(array_column($rules['spots'], 'name'), 0);
    hold(!array_diff_key($amounts, $spots), 'a stake is on no spot of the rules');
    return array_intersect_key(array_replace($spots, $amounts), $amounts);
}

/** @param array<string, int> $stakes @param array<string, int> $raised @return array<string, int> */
function asked(array $stakes, array $raised): array
{
    foreach ($raised as $spot => $amount) {
        hold(isset($stakes[$spot]) && $amount <= $stakes[$spot], 'more was raised than was staked');
        $stakes[$spot] -= $amount;
    }
    return array_filter($stakes);
}

function wager_leaf(string $wager, string $key): string
{
    return leaf("casino.baccarat.wager-leaf.v1\0" . sized($wager) . sized($key));
}

/** D. @param array<string, mixed> $closing @param list<string> $leaves @param array<int, int> $ends by seat */
function closing(array $closing, string $terms, string $links, int $kind, int $cause, array $leaves, array $ends, string $at): string
{
    ksort($ends);
    $seats = '';
    foreach ($ends as $seat => $end) {
        $seats .= chr($seat) . chr($end);
    }
    $cosigned = $closing['cosigned'] ?? ['size' => 0, 'root' => ZEROS];
    return sha("casino.baccarat.closing.v1\0" . hex2bin($closing['blind']) . $terms . $links . chr($kind) . chr($cause)
        . pack('N', count($leaves)) . root($leaves) . sha($seats) . u64(micros($at)) . hex2bin($closing['sealed_head'])
        . u64($cosigned['size']) . hex2bin($cosigned['root']) . hex2bin($closing['before']));
}

/** X. @param list<array{chain: string, index: int}> $witnesses */
function links(array $witnesses): string
{
    $links = chr(count($witnesses));
    foreach ($witnesses as $each) {
        $links .= hex2bin($each['chain']) . u64($each['index']);
    }
    return $links;
}

/** @return array<string, mixed> */
function chain_header(string $header): array
{
    $prefix = "casino.witness.chain.v1\0";
    $length = strlen($header) > 32 ? unpack('J', $header, strlen($prefix))[1] : -1;
    $rest = substr($header, strlen($prefix) + 8 + max(0, $length));
    hold(str_starts_with($header, $prefix) && $length >= 0 && strlen($rest) === 16 + 8 + 8 + 1 + 32 * 3 + 4 + 8, 'a header of a chain is malformed');
    $parts = unpack('a16table/Jnumber/Jgeneration/Cheight/a32root/a32house/a32release', $rest);
    hold($parts['height'] >= 8 && $parts['height'] <= 20, 'a chain is too short or too long');
    return $parts + ['origin' => substr($header, strlen($prefix) + 8, $length), 'id' => bin2hex(sha($header))];
}

/** S. @param array<string, mixed> $release */
function statement(string $chain, int $index, int $kind, string $digest, array $release): string
{
    return "casino.witness.release.v1\0" . hex2bin($chain) . u64($index) . chr($kind) . $digest . hex2bin($release['link'])
        . u64($release['time_ms']) . u64($release['number']) . hex2bin($release['previous']);
}

function link_leaf(int $index, string $link): string
{
    return leaf("casino.witness.leaf.v1\0" . u64($index) . $link);
}

// Sections 8 and 9: the game and its money

function points(string $card): int
{
    return (int) strpos('.A23456789', $card[0]);
}

/** @param list<string> $cards */
function total(array $cards): int
{
    return array_sum(array_map(points(...), $cards)) % 10;
}

/** @param list<string> $cards @return array{player: list<string>, banker: list<string>, natural: bool, used: int, outcome: string} */
function hands(array $cards): array
{
    hold(count($cards) >= 4, 'fewer than four cards were dealt');
    $player = [$cards[0], $cards[2]];
    $banker = [$cards[1], $cards[3]];
    $natural = max(total($player), total($banker)) >= 8;
    $used = 4;
    if (!$natural) {
        $third = null;
        if (total($player) <= 5) {
            hold(isset($cards[$used]), "the Player's third card is missing");
            $player[] = $cards[$used++];
            $third = points($player[2]);
        }
        $draws = match (total($banker)) {
            0, 1, 2 => true,
            3 => $third !== 8,
            4 => $third === null || ($third >= 2 && $third <= 7),
            5 => $third === null || ($third >= 4 && $third <= 7),
            6 => $third === 6 || $third === 7,
            default => false,
        };
        if ($draws) {
            hold(isset($cards[$used]), "the Banker's third card is missing");
            $banker[] = $cards[$used++];
        }
    }
    $outcome = [-1 => 'banker', 0 => 'tie', 1 => 'player'][total($player) <=> total($banker)];
    return ['player' => $player, 'banker' => $banker, 'natural' => $natural, 'used' => $used, 'outcome' => $outcome];
}

const POINTS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const FACTS = [
    'winner' => ['player', 'banker', 'tie'], 'player_points' => POINTS, 'banker_points' => POINTS, 'margin' => POINTS,
    'player_cards' => [2, 3], 'banker_cards' => [2, 3], 'cards' => [4, 5, 6],
    'natural' => [false, true], 'player_natural' => [false, true], 'banker_natural' => [false, true],
    'player_pair' => [false, true], 'banker_pair' => [false, true],
    'player_perfect' => [false, true], 'banker_perfect' => [false, true],
    'pairs' => [0, 1, 2], 'perfect_pairs' => [0, 1, 2],
];

/** The facts of a coup. @param list<string> $cards @return array<string, string|int|bool> */
function facts(array $cards): array
{
    $hands = hands($cards);
    hold($hands['used'] === count($cards), 'cards are left over');
    $found = ['winner' => $hands['outcome'], 'margin' => abs(total($hands['player']) - total($hands['banker'])), 'cards' => $hands['used']];
    foreach (['player', 'banker'] as $side) {
        [$hand, $points] = [$hands[$side], total($hands[$side])];
        $found["{$side}_points"] = $points;
        $found["{$side}_cards"] = count($hand);
        $found["{$side}_natural"] = $points >= 8 && count($hand) === 2;
        $found["{$side}_pair"] = $hand[0][0] === $hand[1][0];
        $found["{$side}_perfect"] = $hand[0] === $hand[1];
    }
    $found['natural'] = $hands['outcome'] === 'tie' ? $found['player_natural'] && $found['banker_natural'] : $found["{$hands['outcome']}_natural"];
    $found['pairs'] = $found['player_pair'] + $found['banker_pair'];
    $found['perfect_pairs'] = $found['player_perfect'] + $found['banker_perfect'];
    return $found;
}

/** @param array<string, mixed> $rules @return array<string, mixed> */
function spot(array $rules, string $name): array
{
    return array_column($rules['spots'], null, 'name')[$name] ?? throw new Failed("the rules have no spot $name");
}

/** What becomes of a stake. @param array<string, mixed> $rules @param array<string, mixed> $facts @return array{result: string, won: int, commission: int, returned: int} */
function settle(array $rules, string $name, int $stake, array $facts): array
{
    $spot = spot($rules, $name);
    foreach ($spot['lines'] as ['when' => $when, 'pays' => $pays]) {
        $missed = array_filter($when, fn ($each) => !in_array($facts[$each['fact']], $each['values'], true));
        if ($missed) {
            continue;
        }
        if ($pays === null) {
            return ['result' => 'push', 'won' => 0, 'commission' => 0, 'returned' => $stake];
        }
        ['numerator' => $a, 'denominator' => $b] = $pays;
        $won = half_up(...product($stake, $a, $b), by: $b);
        $commission = $spot['commission'] === null ? 0 : due($spot['commission'], $won, min($rules['chips']));
        return ['result' => 'win', 'won' => $won, 'commission' => $commission, 'returned' => $stake + $won - $commission];
    }
    return ['result' => 'lose', 'won' => 0, 'commission' => 0, 'returned' => 0];
}

/** @param array<string, mixed> $commission of a spot */
function due(array $commission, int $won, int $chip): int
{
    [$p, $q] = [$commission['rate']['numerator'], $commission['rate']['denominator']];
    if ($commission['rounding'] === null) {
        return half_up(...product($won, $p, $q), by: $q);
    }
    [$u, $v] = [$commission['rounding']['numerator'], $commission['rounding']['denominator']];
    $units = up(up(...product($won, $p * $v, $q * $u)), 0, $chip);
    return min($won, up(...product($units, exact($u * $chip), $v)));
}

/** Whether commission is set aside. @param array<string, mixed> $rules */
function deferred(array $rules): bool
{
    return in_array('deferred', array_column(array_filter(array_column($rules['spots'], 'commission')), 'timing'), true);
}

/** The digests of the published games, by the name of their preset. */
const PUBLISHED = [
    'atlantic_city' => '0384e6811fbe04a693f558b32387993a617a767eae3e4c6b42edd057b4eb18d8',
    'overview' => '8107cf42c9499053ed9c7c73796c0bd232aa5bfeda38872c2adf68cffafde5dd',
    'mini' => 'e5e81cfd6398f10b855bc24517766fe1affe5dce90b77582d96f135bdf66eaaf',
    'classic' => '116e54afbe2d8a0726c1ccd97e0af6a014e7808fa0d61c8c17362908698bb5e6',
    'big_table' => '3a80b9bcb8e508d90103d0e8d9b50e1665766500a61399ff55a5747971f6e60e',
];

/** The digest of what decides the game. */
function game(Members $rules): string
{
    $names = ['decks', 'shuffle', 'cut_cards_from_end', 'hands_after_cut', 'burn', 'fixed_order', 'spots'];
    return bin2hex(sha(canonical(new Members(array_intersect_key($rules->all, array_flip($names))))));
}

/** Quotient and remainder of a product, which may have more than 64 bits, by a number below 2^40. @return array{int, int} */
function product(int $number, int $factor, int $by): array
{
    [$quotient, $rest] = [0, 0];
    foreach (str_split(decbin($factor)) as $bit) {
        $rest = 2 * $rest + (int) $bit * ($number % $by);
        $quotient = exact(2 * $quotient + (int) $bit * intdiv($number, $by) + intdiv($rest, $by));
        $rest %= $by;
    }
    return [$quotient, $rest];
}

function half_up(int $quotient, int $rest, int $by): int
{
    return $quotient + (2 * $rest >= $by ? 1 : 0);
}

/** The next whole number, of a quotient with a rest, or of a quotient that is still to be divided. */
function up(int $quotient, int $rest, int $by = 1): int
{
    return intdiv($quotient, $by) + ($rest > 0 || $quotient % $by > 0 ? 1 : 0);
}

// Section 10: the shape of a file. A shape is the name of a kind ("?" before it: or null), [shape of items], or the
// members of an object ("?" after a name: may be absent). Items behind 'each' are listed once, behind 'up' they ascend,
// by themselves or their first member. Events may have members that no check uses.

const RATIO = ['numerator' => 'part', 'denominator' => 'part'];
const SPOT_OF_RULES = [
    'name' => 'spot', 'kind' => 'main|side', 'lines' => [['when' => ['each', ['fact' => 'text', 'values' => ['each', 'value']]], 'pays' => ['?', ...RATIO]]],
    'commission' => ['?', 'rate' => RATIO, 'rounding' => ['?', ...RATIO], 'timing' => 'settlement|deferred'],
    'minimum' => '?positive', 'maximum' => '?positive', 'needs' => ['each', 'spot'],
];
const SHAPE = ['decks' => 'decks', 'cut_cards_from_end' => '?count', 'burn' => 'flag', 'fixed_order' => 'flag'];
const RULES = [
    'preset' => 'text', 'version' => 'count', 'shuffle' => 'each_round|shoe', 'currency' => 'text', 'chips' => ['up', 'positive'],
    'minimum' => 'count', 'maximum' => 'count', 'under_minimum' => 'raise|reject', 'spots_per_round' => 'any|one',
    'play_money' => 'flag', 'hands_after_cut' => 'hands', 'spots' => 'spots',
] + SHAPE;
const NEXT_SHOE = ['shoe' => 'uuid', 'commitment' => 'hash', 'shape' => SHAPE];
const CONTRIBUTIONS = ['up', ['seat' => 'seat', 'contribution' => 'contribution', 'public_key?' => 'hex']];
const LINK = ['chain' => 'hash', 'index' => 'count'];
const LINKS = ['up', LINK];
const RELEASES = ['up', [
    'chain' => 'hash', 'link' => 'hash', 'time_ms' => 'count', 'number' => 'positive', 'previous' => 'hash', 'signature' => 'signature',
    'path' => 'hex',
]];
const COSIGNED = ['size' => 'count', 'root' => 'hash'];
const CLOSING = [
    'digest' => 'hash', 'blind' => 'hash', 'sealed_head' => 'hash', 'before' => 'hash', 'cosigned?' => ['?', ...COSIGNED],
];
const TERMS = [
    'table' => 'uuid', 'number' => 'count', 'shoe' => 'uuid', 'next_place' => 'count', 'cards' => 'hash', 'rules' => 'hash',
    'commitment' => 'hash', 'cut' => 'hash', 'witnesses' => LINKS, 'next_commitment' => 'hash',
];
const WAGER_SIGNATURE = ['public_key' => 'hex', 'nonce' => 'hash', 'signature' => 'signature'];
const SETTLED = [
    'seat' => 'seat', 'wager' => 'uuid', 'player' => 'uuid', 'money_type' => 'money', 'staked' => 'count', 'won' => 'count',
    'commission' => 'count', 'deferred' => 'flag', 'returned' => 'count',
    'results' => ['each', ['spot' => 'spot', 'stake' => 'positive', 'result' => 'text', 'won' => 'count', 'commission' => 'count', 'returned' => 'count']],
];
const GIVEN_BACK = [
    'seat' => 'seat', 'wager' => 'uuid', 'player' => 'uuid', 'money_type' => 'money', 'staked' => 'count', 'returned' => 'count',
    'commission' => 'count', 'from_rack' => 'count', 'to_game' => 'count', 'to_account' => 'count', 'from_game' => 'count',
    'from_account' => 'count', 'owed' => 'count', 'forgiven' => 'count',
];
const RECORDED_RULES = ['digest' => 'hash', 'values' => 'rules'];
/** What the checks use of each event's data. */
const EVENTS = [
    'TableOpened' => ['rules' => RECORDED_RULES, 'next_shoe' => ['?', ...NEXT_SHOE]],
    'RulesTookEffect' => ['rules' => RECORDED_RULES],
    'TermsFixed' => ['number' => 'count', 'digest' => 'hash', 'next_shoe' => ['?', ...NEXT_SHOE],
        'place' => ['?', 'next_place' => 'count', 'cards' => 'hash', 'commitment' => 'hash', 'next_commitment' => 'hash']],
    'ShoeCommitted' => ['shoe' => 'uuid', 'number' => 'count', 'commitment' => 'hash', 'shape' => SHAPE],
    'ShoeCutContributed' => ['shoe' => 'uuid', 'seat' => 'seat', 'player' => 'uuid', 'contribution' => 'contribution',
        'signature?' => ['?', 'public_key' => 'hex', 'signature' => 'signature']],
    'ShoeStarted' => ['shoe' => 'uuid', 'number' => 'count', 'commitment' => 'hash', 'turned_card' => '?card',
        'burned_count' => 'count', 'contributions' => CONTRIBUTIONS, 'cut' => 'hash', 'root' => '?hash',
        'first_round' => 'count', 'started_at' => 'time', 'closing' => ['?', ...CLOSING]],
    'ShoeEnded' => ['shoe' => 'uuid', 'seed' => 'hash'],
    'TableClosed' => ['seeds' => ['each', ['shoe' => 'uuid', 'seed' => '?hash']]],
    'WitnessChainOpened' => ['header' => 'hex', 'signature' => 'signature', 'house_signature' => 'signature'],
    'WitnessChainsReplaced' => ['ended' => ['each', LINK], 'successor' => 'hash'],
    'RoundOpened' => ['round' => 'uuid', 'table' => 'uuid', 'operator' => 'uuid', 'number' => 'positive', 'rules' => 'hash',
        'rules_label' => 'text', 'shoe' => 'uuid', 'commitment' => '?hash', 'opened_at' => 'time', 'witnesses?' => LINKS, 'terms' => 'hash',
        'contributions' => CONTRIBUTIONS, 'seats' => ['up', ['seat' => 'seat', 'player' => 'uuid', 'money_type' => 'money']]],
    'WagerConfirmed' => ['seat' => 'seat', 'wager' => 'uuid', 'player' => 'uuid', 'money_type' => 'money', 'stakes' => 'stakes',
        'raised?' => 'stakes', 'confirmed_at' => 'time', 'signature?' => ['?', ...WAGER_SIGNATURE]],
    'CardsForced' => ['cards' => ['card']],
    'SeatPassed' => ['seat' => 'seat'],
    'SeatTimedOut' => ['seat' => 'seat'],
    'SeatLeftRound' => ['seat' => 'seat'],
    'BettingClosed' => ['closed_at' => 'time', 'closing' => CLOSING],
    'LinksReleased' => ['round' => 'uuid', 'releases' => RELEASES],
    'ShoeCutClosed' => ['shoe' => 'uuid', 'closed_at' => 'time', 'witnesses' => LINKS, 'closing' => CLOSING],
    'ShoeLinksReleased' => ['shoe' => 'uuid', 'releases' => RELEASES],
    'HandTurned' => ['side' => 'player|banker', 'cards' => ['card']],
    'CardsDealt' => ['shoe_position' => 'count', 'cards' => ['card'],
        'next_terms' => ['?', 'number' => 'count', 'shoe' => 'uuid', 'commitment' => 'hash', 'decks' => 'decks']],
    'RoundSettled' => ['outcome' => 'player|banker|tie', 'player_total' => 'count', 'banker_total' => 'count', 'natural' => 'flag',
        'wagers' => ['up', SETTLED], 'settled_at' => 'time', 'seed' => '?hash'],
    'RoundVoided' => ['seats' => ['up', GIVEN_BACK], 'seed' => '?hash',
        'reason' => 'malfunction|misdeal|wrong_rules|fraud|other', 'voided_at' => 'time', 'closing' => ['?', ...CLOSING]],
];
const OF_TABLE = ['TableOpened', 'RulesTookEffect', 'TermsFixed', 'ShoeCommitted', 'ShoeCutContributed', 'ShoeCutClosed',
    'ShoeLinksReleased', 'ShoeStarted', 'ShoeEnded', 'TableClosed', 'WitnessChainOpened', 'WitnessChainsReplaced'];
const WITHHELD = ['RoundSuspended', 'RoundResumed', 'RoundVoidRequested', 'RoundVoidDeclined', 'RoundVoided', 'ShoeEnded'];
const ONCE = ['RoundOpened', 'CardsForced', 'BettingClosed', 'LinksReleased', 'CardsDealt', 'RoundSettled', 'RoundVoided'];
const EVENT = [
    'position' => 'positive', 'id' => 'count', 'transaction' => 'positive', 'stream' => 'text', 'version' => 'u32', 'type' => 'text',
    'schema' => 'u32', 'data' => '?members', 'metadata' => '?members', 'recorded_at' => 'moment', 'previous' => 'hash', 'digest' => 'hash',
];
const FILE = [
    'format' => 'text',
    'exported_at' => 'moment',
    'round' => [
        'id' => 'uuid', 'table' => 'uuid', 'operator' => 'uuid', 'number' => 'positive', 'rules' => 'hash',
        'rules_label' => 'text', 'currency' => 'text', 'phase' => 'text', 'opened_at' => 'time', 'settled_at' => '?time', 'shoe_position' => '?count', 'cards' => ['card'],
        'player_total' => '?count', 'banker_total' => '?count', 'natural' => '?flag', 'outcome' => '?player|banker|tie',
    ],
    'rules' => 'rules',
    'shoe' => [
        'id' => 'uuid', 'decks' => 'decks', 'commitment' => 'hash', 'contributions' => CONTRIBUTIONS, 'cut' => 'hash',
        'seed' => '?hash', 'round_seed' => '?hash', 'root' => '?hash', 'shoe_position' => '?count', 'dealt' => ['card'],
        'openings' => ['up', ['shoe_position' => 'count', 'card' => 'card', 'salt' => 'hash', 'path' => ['hash']]],
    ],
    'events' => [EVENT],
    'inclusion_proofs' => ['up', ['position' => 'positive', 'path' => ['hash']]],
    'checkpoint' => '?text',
    'keys' => ['each', ['id' => 'text', 'public_key' => 'hash', 'valid_from' => 'time', 'valid_until' => '?time']],
];
const RECEIPT = [
    'kind' => 'text', 'table' => 'uuid', 'round' => 'uuid', 'wager' => 'uuid', 'player' => 'uuid', 'seat' => 'seat', 'money_type' => 'money',
    'currency' => 'text', 'place' => 'count', 'terms' => ['digest' => 'hash', 'number' => 'count', 'shoe' => 'uuid', 'next_place' => 'count', 'cards' => 'hash',
        'rules' => 'hash', 'commitment' => 'hash', 'contributions' => CONTRIBUTIONS, 'cut' => 'hash',
        'witnesses?' => LINKS, 'next_commitment' => 'hash'],
    'stakes' => ['each', ['spot' => 'spot', 'amount' => 'amount']], 'raised' => ['each', ['spot' => 'spot', 'amount' => 'amount']],
    'wager_signature' => ['?', ...WAGER_SIGNATURE], 'leaf' => 'hash', 'confirmed_at' => 'time', 'close_by' => '?time',
    'public_key' => 'hash', 'signature' => 'signature',
];
const PAYOUT = [
    'kind' => 'text', 'table' => 'uuid', 'round' => 'uuid', 'terms' => 'hash', 'wager' => 'uuid', 'player' => 'uuid', 'leaf' => 'hash',
    'results' => ['each', ['spot' => 'spot', 'stake' => 'amount', 'result' => 'text', 'returned' => 'amount', 'commission' => 'amount']],
    'currency' => 'text', 'settled_at' => 'time', 'public_key' => 'hash', 'signature' => 'signature',
];
const CONTRIBUTED = [
    'kind' => 'text', 'table' => 'uuid', 'commitment' => 'hash', 'witnesses' => LINKS, 'seat' => 'seat', 'player' => 'uuid',
    'contribution' => 'contribution', 'player_key' => 'hex', 'contributed_at' => 'time', 'public_key' => 'hash', 'signature' => 'signature',
];

/** Refuse a value that is not of the shape; return it with objects as arrays, their members in the shape's order. */
function shaped(mixed $value, string|array $shape, string $at, bool $open = false): mixed
{
    if (is_string($shape)) {
        hold(ltrim($shape, '?') !== 'rules' || !($value instanceof Members) || ($value->all['chips'] ?? []) !== [], "$at has no chips");
        hold(($shape[0] === '?' && $value === null) || is_of_kind($value, ltrim($shape, '?')), "$at is not as specified");
        return match (ltrim($shape, '?')) {
            'stakes' => $value->all,
            'rules' => shaped($value, RULES, $at, true) + ['whole' => $value],
            'spots' => spots(shaped($value, ['each', SPOT_OF_RULES], $at), $at),
            default => $value,
        };
    }
    if ($value === null && ($shape[0] ?? '') === '?') {
        return null;
    }
    if (array_is_list($shape)) {
        hold(is_array($value), "$at is no array");
        $items = array_map(fn ($item, $index) => shaped($item, end($shape), "$at/$index", $open), $value, array_keys($value));
        if (count($shape) > 1) {
            in_order(array_map(fn ($item) => is_array($item) ? reset($item) : $item, $items), $shape[0], $at);
        }
        return $items;
    }
    hold($value instanceof Members, "$at is no object");
    $found = [];
    foreach (array_diff_key($shape, [0 => '?']) as $name => $of) {
        $plain = rtrim($name, '?');
        if (array_key_exists($plain, $value->all)) {
            $found[$plain] = shaped($value->all[$plain], $of, "$at/$plain", $open);
        } else {
            hold($name !== $plain, "$at has no $plain");
        }
    }
    hold($open || !array_diff_key($value->all, $found), "$at has another member");
    return $found;
}

/** Spots whose lines ask for known facts and values, and that need others of them. @param list<array<string, mixed>> $spots @return list<array<string, mixed>> */
function spots(array $spots, string $at): array
{
    hold($spots !== [] && count($spots) <= 24, "$at are too few or too many");
    $names = array_column($spots, 'name');
    foreach ($spots as ['name' => $name, 'lines' => $lines, 'needs' => $needs]) {
        hold($lines !== [] && count($lines) <= 32, "$at: the lines of $name are too few or too many");
        foreach (array_merge(...array_column($lines, 'when')) as ['fact' => $fact, 'values' => $values]) {
            hold($values !== [], "$at: $name asks for no value of $fact");
            foreach ($values as $value) {
                hold(in_array($value, FACTS[$fact] ?? [], true), "$at: $name asks for an unknown $fact");
            }
        }
        hold(!array_diff($needs, array_diff($names, [$name])), "$at: $name needs another spot");
    }
    hold(count(array_unique(array_column(array_filter(array_column($spots, 'commission')), 'timing'))) < 2, "$at: commission is taken at two times");
    return $spots;
}

/** Refuse keys that occur twice, and, unless the order is 'each', that do not ascend. @param list<int|string|bool> $keys */
function in_order(array $keys, string $order, string $at): void
{
    $sorted = array_unique($keys);
    if ($order === 'up') {
        sort($sorted);
    }
    hold($keys === array_values($sorted), "$at lists something twice or out of order");
}

function is_of_kind(mixed $value, string $kind): bool
{
    $text = is_string($value) ? $value : null;
    return match ($kind) {
        'text' => $text !== null,
        'count' => is_int($value) && $value >= 0,
        'part' => is_int($value) && $value > 0 && $value <= 10000,
        'positive' => is_int($value) && $value > 0,
        'decks' => is_int($value) && $value > 0 && $value <= 8,
        'seat' => is_int($value) && $value > 0 && $value < 256,
        'u32' => is_int($value) && $value > 0 && $value < 2 ** 32,
        'flag' => is_bool($value),
        'members' => $value instanceof Members,
        'rules' => $value instanceof Members,
        'spots' => is_array($value),
        'value' => is_string($value) || is_int($value) || is_bool($value),
        'hands' => $value === 0 || $value === 1,
        'stakes' => $value instanceof Members && !array_filter(array_keys($value->all), fn ($name) => !is_of_kind($name, 'spot'))
            && !array_filter($value->all, fn ($amount) => !is_int($amount) || $amount <= 0),
        'uuid' => $text !== null && preg_match(UUID, $text) === 1,
        'hash' => $text !== null && preg_match('/^[0-9a-f]{64}$/D', $text) === 1,
        'signature' => $text !== null && preg_match('/^[0-9a-f]{128}$/D', $text) === 1,
        'hex' => $text !== null && preg_match('/^([0-9a-f]{2})*$/D', $text) === 1,
        'contribution' => $text !== null && preg_match('/^([0-9a-f]{2}){1,32}$/D', $text) === 1,
        'card' => $text !== null && preg_match(CARD, $text) === 1,
        'spot' => $text !== null && preg_match(SPOT, $text) === 1,
        'money' => $text !== null && isset(MONEY[$text]),
        'amount' => $text !== null && preg_match('/^(0|[1-9]\d{0,14})(\.\d{1,8})?$/D', $text) === 1,
        'time', 'moment' => $text !== null && preg_match(TIME, $text, $part) === 1 && $part[1] >= '1970' && ($kind === 'time' || isset($part[7]))
            && checkdate((int) $part[2], (int) $part[3], (int) $part[1]) && $part[4] < '24' && $part[5] < '60' && $part[6] < '60',
        default => in_array($value, explode('|', $kind), true),
    };
}

// Section 11: the checks

final class Verifier
{
    /** @var array<string, mixed> */
    private array $file;
    /** @var list<array<string, mixed>> events with their data as arrays; `raw` has it as in the file */
    private array $events = [];
    /** @var array<string, mixed> the round's events that occur once, by type */
    private array $one = [];
    /** @var array<string, mixed> */
    private array $rules;

    private string $rules_digest;
    private string $links = "\0";
    /** @var list<array{chain: string, index: int}> the links that the cards follow from */
    private array $drawn_by = [];
    /** whether the round draws its cards from what is left of a long shoe */
    private bool $by_round = false;
    /** @var ?array<string, mixed> the event that closed the cut of a long shoe with witnesses */
    private ?array $shoe_closed = null;
    private bool $long;
    private bool $unsigned = false;

    /** @var list<array{name: string, time: string}> who has cosigned the log, and when */
    private array $cosigned_by = [];

    /** @var list<string> what of the closings and statements points to nothing in the file */
    private array $unchecked = [];

    /** @param array<string, mixed> $reader what the reader trusts and requires */
    private function __construct(private array $reader) {}

    /** @param array<string, mixed> $reader @return array{status: int, as_of: ?array<string, mixed>, could_choose: ?string, published: ?bool, caveats: list<string>, checks: array<string, array{string, string}>} */
    public static function verify(string $text, array $reader): array
    {
        $nothing = ['keys' => [], 'trusted_witnesses' => [], 'witness_keys' => [], 'receipts' => [], 'receipt_keys' => [], 'cosigners' => [], 'require_signed' => false];
        return (new self($reader + $nothing))->verdict($text);
    }

    private function verdict(string $text): array
    {
        $checks = ['file' => $this->result(fn () => $this->file(Reader::read($text)))];
        if ($checks['file'][0] === 'ok') {
            foreach (['digests', 'chain', 'inclusion', 'signature', 'key', 'cosignatures', 'rules', 'record', 'commitment', 'cut', 'terms',
                'closing', 'witnesses', 'receipt', 'cards', 'hands', 'wagers', 'payouts', 'commission', 'void'] as $name) {
                $checks[$name] = $this->result($this->$name(...));
            }
        }
        $results = array_map(fn (array $check) => $check[0], $checks);
        if (in_array('failed', $results, true)) {
            $status = 1;
        } else {
            $trusted = [$results['inclusion'], $results['signature'], $results['key']] === ['ok', 'ok', 'ok'];
            $missing = $results['witnesses'] === 'not checkable yet' || ($this->reader['require_signed'] && $this->unsigned);
            $status = match (true) {
                !$trusted || $missing => 3,
                isset($this->one['CardsForced']) => 4,
                $results['cosignatures'] !== 'ok' => 5,
                default => 0,
            };
        }
        $covered = in_array($status, [0, 4, 5], true);
        $as_of = $covered ? ['size' => note($this->file['checkpoint'])['size'], 'cosigned_by' => $this->cosigned_by] : null;
        return [
            'status' => $status, 'as_of' => $as_of, 'could_choose' => $covered ? $this->chooser() : null, 'published' => !$covered ? null : game($this->rules['whole']) === (PUBLISHED[$this->rules['preset']] ?? ''),
            'caveats' => $status === 1 ? [] : $this->caveats(), 'checks' => $checks,
        ];
    }

    /** Who could have chosen the cards, if any were dealt. */
    private function chooser(): ?string
    {
        return match (true) {
            !isset($this->one['CardsDealt']) || isset($this->one['CardsForced']) => null,
            ($this->by_round ? $this->opening()['witnesses'] ?? [] : $this->drawn_by) === [] => 'house',
            $this->long && !$this->by_round => 'house_knows',
            $this->unsigned => 'house_early',
            $this->reader['witness_keys'] === [] => 'house_and_witnesses',
            default => 'nobody',
        };
    }

    /** @return array{string, string} */
    private function result(callable $check): array
    {
        try {
            return ['ok', (string) $check()];
        } catch (Failed $failure) {
            return ['failed', $failure->getMessage()];
        } catch (Later $later) {
            return ['not checkable yet', $later->getMessage()];
        } catch (Absent $absent) {
            return ['does not apply', $absent->getMessage()];
        } catch (Error | ErrorException $error) {
            // No file may end this program: what no check foresaw is a failure, and says so.
            return ['failed', "unforeseen, line {$error->getLine()}: {$error->getMessage()}"];
        }
    }

    private function file(mixed $value): void
    {
        $this->file = shaped($value, FILE, 'file');
        hold($this->file['format'] === 'casino.round.v1', 'not of the format casino.round.v1');
        hold($this->file['events'] !== [], 'no events');
        foreach ($this->file['events'] as $index => $event) {
            $withheld = $event['data'] === null;
            hold($withheld === ($event['metadata'] === null), 'data or metadata alone is withheld');
            hold(!$withheld || in_array($event['type'], WITHHELD, true), "{$event['type']} is withheld");
            $event['raw'] = $event['data'];
            $shape = EVENTS[$event['type']] ?? [];
            hold($shape === [] || $event['schema'] === 1, "{$event['type']} has an unknown schema");
            $event['data'] = $withheld || $shape === [] ? $event['raw'] : shaped($event['raw'], $shape, "events/$index/data", true);
            $this->events[] = $event;
            if ($event['stream'] === "round-{$this->file['round']['id']}" && in_array($event['type'], ONCE, true)) {
                hold(!isset($this->one[$event['type']]), "{$event['type']} occurs twice");
                $this->one[$event['type']] = $event;
            }
        }
        hold(isset($this->one['RoundOpened']), 'the round was not opened');
        $this->derive();
    }

    /** What nearly all checks need: rules and links of the round. */
    private function derive(): void
    {
        $opening = $this->one['RoundOpened'];
        $ruling = $this->before($opening, 'TableOpened', 'RulesTookEffect');
        hold(($ruling[0]['type'] ?? '') === 'TableOpened', "the table's opening is missing");
        ['values' => $this->rules, 'digest' => $this->rules_digest] = end($ruling)['data']['rules'];
        $this->long = $this->rules['shuffle'] === 'shoe';
        $this->by_round = $this->long && !$this->rules['fixed_order'];
        $closed = $this->before($opening, 'ShoeCutClosed');
        hold(count($closed) <= 1 && ($closed === [] || $this->long), 'the cut of the shoe was closed twice');
        $this->shoe_closed = $closed[0] ?? null;
        foreach ([$opening['data']['witnesses'] ?? [], $this->shoe_closed['data']['witnesses'] ?? []] as $witnesses) {
            hold(count($witnesses) <= 4, 'more than four witnesses');
        }
        $witnesses = $opening['data']['witnesses'] ?? [];
        $this->links = links($witnesses);
        // A long shoe has links of its own; its order follows from them if it has one, else only the turned card.
        $this->drawn_by = $this->long ? $this->shoe_closed['data']['witnesses'] ?? [] : $witnesses;
    }

    /** @return list<array<string, mixed>> the table's events of these types before another event */
    private function before(array $other, string ...$types): array
    {
        return array_values(array_filter($this->events, fn (array $event) => $event['position'] < $other['position']
            && in_array($event['type'], $types, true) && $event['stream'] === $this->table_stream()));
    }

    /** @return list<array<string, mixed>> */
    private function of_round(string ...$types): array
    {
        return array_values(array_filter($this->events, fn (array $event) => in_array($event['type'], $types, true)
            && $event['stream'] === $this->one['RoundOpened']['stream']));
    }

    private function table_stream(): string
    {
        return "table-{$this->file['round']['table']}";
    }

    /** @return array<string, mixed> */
    private function opening(): array
    {
        return $this->one['RoundOpened']['data'];
    }

    /** @return ?array<string, mixed> */
    private function data(string $type): ?array
    {
        return $this->one[$type]['data'] ?? null;
    }

    /** Where shoes were committed to before the opening: position, number (of a round; of a long shoe its own), shoe, commitment, shape. @return list<array<string, mixed>> */
    private function all_commitments(): array
    {
        $all = [];
        foreach ($this->events as $event) {
            if ($event['position'] >= $this->one['RoundOpened']['position'] || $event['data'] === null) {
                continue;
            }
            $data = $event['data'];
            $of_table = $event['stream'] === $this->table_stream();
            [$next, $number] = match (true) {
                $event['type'] === 'TableOpened' && $of_table => [$data['next_shoe'], 1],
                $event['type'] === 'TermsFixed' && $of_table => [$data['next_shoe'], $data['number'] + 1],
                $event['type'] === 'CardsDealt' => [$this->next_shoe($data['next_terms']), ($data['next_terms']['number'] ?? 0) + 1],
                $event['type'] === 'ShoeCommitted' && $of_table => [$data, $data['number']],
                default => [null, 0],
            };
            if ($next !== null) {
                $all[] = ['position' => $event['position'], 'number' => $number, 'long' => $event['type'] === 'ShoeCommitted'] + $next;
            }
        }
        return $all;
    }

    private function next_shoe(?array $terms): ?array
    {
        $shape = ['decks' => $terms['decks'] ?? 0, 'cut_cards_from_end' => null, 'burn' => false, 'fixed_order' => false];
        return $terms === null ? null : ['shape' => $shape] + $terms;
    }

    /** The commitments to the round's shoe: of a long shoe, by the shoe; of another, by the round. */
    private function commitments(): array
    {
        ['shoe' => $shoe, 'number' => $number] = $this->opening();
        return array_values(array_filter($this->all_commitments(), fn (array $each) => $each['long'] === $this->long
            && ($this->long ? $each['shoe'] === $shoe : $each['number'] === $number)));
    }

    /** The commitment to the round's shoe. */
    private function committed(): array
    {
        $all = $this->commitments();
        hold(count($all) === 1, count($all) . ' commitments to the shoe before the round');
        hold($all[0]['shoe'] === $this->opening()['shoe'], 'another shoe was committed to');
        return $all[0];
    }

    /** The event that started the round's long shoe. */
    private function started(): array
    {
        $all = array_filter($this->before($this->one['RoundOpened'], 'ShoeStarted'), fn ($event) => $event['data']['shoe'] === $this->opening()['shoe']);
        hold(count($all) === 1, count($all) . ' starts of the shoe before the round');
        return array_values($all)[0];
    }

    /** The events that fixed the round's terms, in order. @return list<array<string, mixed>> */
    private function fixings(): array
    {
        $number = $this->opening()['number'];
        return array_values(array_filter($this->events, fn ($event) => match ($event['type']) {
            'TermsFixed' => ($event['data']['number'] ?? $event['data']['terms']['number']) === $number && $event['stream'] === $this->table_stream(),
            'CardsDealt' => ($event['data']['next_terms']['number'] ?? 0) === $number && $event['stream'] !== $this->one['RoundOpened']['stream'],
            default => false,
        }));
    }

    private function digests(): void
    {
        $withheld = false;
        foreach ($this->file['events'] as $event) {
            if ($event['data'] === null) {
                $withheld = true;
            } else {
                hold(seal($event, $event['data'], $event['metadata']) === hex2bin($event['digest']), "position {$event['position']} has another digest");
            }
        }
        if ($withheld) {
            throw new Later('events are withheld');
        }
    }

    private function chain(): void
    {
        $before = null;
        [$versions, $transactions] = [[], []];
        $own = $this->one['RoundOpened']['stream'];
        foreach ($this->events as $event) {
            $last = $versions[$event['stream']] ?? 0;
            $versions[$event['stream']] = $event['version'];
            hold($event['version'] > $last, "version {$event['version']} does not ascend");
            hold($event['stream'] !== $own || $event['version'] === $last + 1, "the round has no version " . $last + 1);
            hold($event['position'] > ($before['position'] ?? 0), "position {$event['position']} does not ascend");
            $number = $event['transaction'];
            hold(!isset($transactions[$number]) || $number === $before['transaction'], "transaction $number is torn apart");
            $transactions[$number] = true;
            $neighbour = $before !== null && $event['position'] === $before['position'] + 1;
            hold(!$neighbour || $event['previous'] === $before['digest'], "position {$event['position']} does not follow the one before");
            hold($event['position'] !== 1 || $event['previous'] === ZEROS, 'position 1 follows another');
            $before = $event;
        }
        $this->order();
        $this->streams();
    }

    private function inclusion(): void
    {
        if ($this->file['checkpoint'] === null) {
            hold($this->file['inclusion_proofs'] === [], 'proofs without a checkpoint');
            throw new Later('no checkpoint');
        }
        $note = note($this->file['checkpoint']);
        $paths = array_column($this->file['inclusion_proofs'], 'path', 'position');
        $covered = array_filter($this->events, fn ($event) => $event['position'] <= $note['size']);
        hold(array_column($covered, 'position') === array_column($this->file['inclusion_proofs'], 'position'), 'not a proof for each event that the checkpoint covers');
        foreach ($covered as $event) {
            $leaf = leaf(hex2bin($event['digest']));
            $path = array_map(hex2bin(...), $paths[$event['position']]);
            hold(included($leaf, $event['position'] - 1, $note['size'], $path, $note['root']), "position {$event['position']} is not in the checkpoint");
        }
        if (count($covered) < count($this->events)) {
            throw new Later('events are younger than the checkpoint');
        }
    }

    /** The listed key that a line of the checkpoint names, and that line's signature. @return array{array<string, mixed>, string} */
    private function signing_key(): array
    {
        $note = note($this->file['checkpoint'] ?? throw new Later('no checkpoint'));
        $own = [];
        foreach ($note['signatures'] as ['name' => $name, 'id' => $id, 'signature' => $signature]) {
            foreach ($this->file['keys'] as $key) {
                if ($name === $note['origin'] && $id === key_id($name, NOTE_KEY, hex2bin($key['public_key']))) {
                    $own[$id] = [$key, $signature];
                }
            }
        }
        hold(count($own) === 1, count($own) . ' listed keys have signed the checkpoint');
        return reset($own);
    }

    private function signature(): void
    {
        [$key, $signature] = $this->signing_key();
        $note = note($this->file['checkpoint']);
        hold(signed($note['text'], $signature, hex2bin($key['public_key'])), 'the signature is wrong');
        foreach ($this->events as $event) {
            $late = $key['valid_until'] !== null && $event['position'] <= $note['size'] && micros($event['recorded_at']) > micros($key['valid_until']);
            hold(!$late, 'the key was not in force');
        }
    }

    private function key(): void
    {
        [$key] = $this->signing_key();
        if ($this->reader['keys'] === []) {
            throw new Later('no trusted keys');
        }
        hold(in_array($key['public_key'], $this->reader['keys'], true), 'the key is not among the trusted ones');
    }

    private function rules(): void
    {
        $members = $this->file['rules']['whole']->all;
        hold(($members['third_cards'] ?? null) === 'punto_banco', 'another table of third cards');
        unset($members['third_cards']);
        hold(same(new Members($members), $this->rules['whole']), 'the rules are not those in force');
        hold($this->rules_digest === bin2hex(sha(canonical($this->rules['whole']))), 'the rules have another digest');
        hold($this->opening()['rules'] === $this->rules_digest, 'the round is by other rules');
        hold($this->opening()['rules_label'] === "{$this->rules['preset']}@{$this->rules['version']}", 'the rules are called otherwise');
    }

    private function record(): void
    {
        ['round' => $round, 'shoe' => $shoe] = $this->file;
        $opening = $this->opening();
        $dealt = $this->data('CardsDealt');
        $settled = $this->data('RoundSettled');
        $expected = [
            'id' => $opening['round'], 'table' => $opening['table'], 'operator' => $opening['operator'], 'number' => $opening['number'],
            'rules' => $opening['rules'], 'rules_label' => $opening['rules_label'], 'currency' => $this->rules['currency'], 'phase' => isset($this->one['RoundVoided']) ? 'voided' : 'settled',
            'opened_at' => $opening['opened_at'], 'settled_at' => $settled['settled_at'] ?? null, 'shoe_position' => $dealt['shoe_position'] ?? null,
            'cards' => $dealt['cards'] ?? [], 'player_total' => $settled['player_total'] ?? null, 'banker_total' => $settled['banker_total'] ?? null,
            'natural' => $settled['natural'] ?? null, 'outcome' => $settled['outcome'] ?? null,
        ];
        foreach ($expected as $name => $value) {
            hold($round[$name] === $value, "$name is not as in the events");
        }
        hold($shoe['id'] === $opening['shoe'], 'another shoe');
        hold($shoe['decks'] === $this->rules['decks'], 'another number of decks');
        hold($shoe['shoe_position'] === $round['shoe_position'], 'the shoe has another position');
        hold($this->by_round || ($shoe['round_seed'] === null && $shoe['dealt'] === []), 'a seed of a round that draws by none');
        hold(!$settled || $dealt, 'settled without cards');
        hold($settled || isset($this->one['RoundVoided']), 'neither settled nor voided');
    }

    private function order(): void
    {
        $last = 0;
        foreach (['RoundOpened', 'CardsForced', 'BettingClosed', 'CardsDealt', 'RoundSettled', 'RoundVoided'] as $type) {
            $position = $this->one[$type]['position'] ?? $last + 1;
            hold($position > $last, "$type is out of order");
            $last = isset($this->one[$type]) ? $position : $last;
        }
        hold($this->one['RoundOpened']['version'] === 1, 'the round does not begin with its opening');
        hold(isset($this->one['BettingClosed']) || !isset($this->one['CardsDealt']), 'cards were dealt while betting was open');
        $closed = $this->one['BettingClosed']['position'] ?? $this->one['RoundVoided']['position'] ?? 0;
        foreach ($this->of_round(...array_keys(ENDS)) as $event) {
            hold($event['position'] < $closed, "{$event['type']} after betting was closed");
            hold($event['position'] > ($this->one['CardsForced']['position'] ?? 0), "cards were chosen after {$event['type']}");
        }
        foreach ($this->of_round('HandTurned') as $event) {
            hold($event['position'] > $closed, 'a hand was turned over while betting was open');
            hold($event['position'] < ($this->one['CardsDealt']['position'] ?? $this->one['RoundVoided']['position'] ?? PHP_INT_MAX), 'a hand was turned over after the cards');
        }
        foreach ($this->events as $event) {
            hold(!in_array($event['type'], ['ShoeEnded', 'TableClosed'], true) || $event['position'] > $closed, 'the seed was revealed while betting was open');
            hold($event['type'] !== 'ShoeStarted' || $event['position'] < $this->one['RoundOpened']['position'], 'the shoe started after the opening');
        }
    }

    /** Hold each event to the stream that its type belongs to, and to this round and shoe. */
    private function streams(): void
    {
        $shoe = $this->opening()['shoe'];
        $number = $this->opening()['number'];
        $rounds = [];
        foreach (['TableOpened', 'ShoeCommitted', 'ShoeCutClosed', 'ShoeLinksReleased', 'ShoeStarted', 'ShoeEnded', 'TableClosed'] as $type) {
            hold(count(array_keys(array_column($this->events, 'type'), $type, true)) <= 1, "$type occurs twice");
        }
        foreach ($this->events as $event) {
            $of_table = in_array($event['type'], OF_TABLE, true);
            hold($of_table === ($event['stream'] === $this->table_stream()), "{$event['type']} is in another stream");
            if ($of_table) {
                hold(!str_starts_with($event['type'], 'Shoe') || $event['data'] === null || $event['data']['shoe'] === $shoe, "{$event['type']} is of another shoe");
            } elseif ($event['stream'] !== $this->one['RoundOpened']['stream']) {
                hold(!$this->long && preg_match('/^round-(.*)$/D', $event['stream'], $id) === 1 && preg_match(UUID, $id[1]) === 1, 'a stream of no round');
                $next = $event['type'] === 'CardsDealt' ? $event['data']['next_terms'] : null;
                $before = match (true) {
                    $next === null => 0,
                    $next['number'] === $number => 1,
                    default => $next['number'] === $number - 1 && $next['shoe'] === $shoe ? 2 : 0,
                };
                hold($before > 0 && !in_array($before, $rounds, true) && $event['position'] < $this->one['RoundOpened']['position'], "{$event['type']} is of a round that does not matter here");
                $rounds[] = $before;
            }
        }
    }

    private function commitment(): void
    {
        $opening = $this->opening();
        $committed = $this->committed();
        foreach (SHAPE as $name => $_) {
            hold($committed['shape'][$name] === $this->rules[$name], "$name of the shoe is not as in the rules");
        }
        $named = [$this->file['shoe'], $opening];
        if ($this->long) {
            $started = $this->started()['data'];
            hold($this->file['shoe']['root'] === $started['root'], 'the root is not that of the start');
            hold(($started['root'] === null) === $this->by_round, 'a root is for a fixed order, and for no other');
            $named[] = $started;
        } else {
            hold($this->file['shoe']['root'] === null, 'a root of a shoe that has none');
        }
        foreach ($named as $each) {
            hold(($each['commitment'] ?? $committed['commitment']) === $committed['commitment'], 'another commitment is named');
        }
        $own = $this->by_round ? $this->round_seed() : null;
        $seed = $this->seed();
        hold($own === null || $own === round_seed($seed, $opening['number']), "the round's seed is not that of its shoe");
        $bytes = commitment($seed, $opening['table'], $opening['shoe'], $committed['number']);
        hold($bytes === hex2bin($committed['commitment']), 'the seed does not open the commitment');
    }

    /** The seed that the round drew its cards by, which has to open the commitment of its terms; null if it is secret. */
    private function round_seed(): ?string
    {
        $seed = $this->revealed($this->file['shoe']['round_seed'], 'RoundSettled', 'RoundVoided');
        $fixings = $this->fixings();
        $place = ($fixings === [] ? null : end($fixings)['data']['place']) ?? throw new Failed('the terms have no place');
        $opening = $this->opening();
        hold($seed === null || commitment($seed, $opening['table'], $opening['shoe'], $opening['number']) === hex2bin($place['commitment']), "the round's seed does not open its commitment");
        return $seed;
    }

    /** The seed of the shoe. */
    private function seed(): string
    {
        $types = $this->by_round ? [] : ['RoundSettled', 'RoundVoided'];
        return $this->revealed($this->file['shoe']['seed'], 'ShoeEnded', 'TableClosed', ...$types) ?? throw new Later('the seed is secret');
    }

    /** A revealed seed; it has to be the same in the file's shoe and in the events. */
    private function revealed(?string $seed, string ...$types): ?string
    {
        $withheld = false;
        foreach ($this->events as $event) {
            $withheld = $withheld || $event['data'] === null;
            $found = [];
            if (!in_array($event['type'], $types, true) || $event['data'] === null) {
                continue;
            }
            if ($event['type'] !== 'TableClosed') {
                $found[] = $event['data']['seed'];
            } else {
                $found = array_column(array_filter($event['data']['seeds'], fn ($each) => $each['shoe'] === $this->opening()['shoe']), 'seed');
            }
            foreach ($found as $each) {
                $revealed = $each ?? $revealed ?? null;
                hold($each === null || $each === $seed, 'the seed is not that of the events');
            }
        }
        hold($seed === null || isset($revealed) || $withheld, 'no event reveals the seed');
        return $seed === null ? null : hex2bin($seed);
    }

    /** The contributions of the cut, by seat. @return array<int, array{string, string}> */
    private function contributions(): array
    {
        $found = [];
        foreach ($this->events as $event) {
            if ($event['type'] === 'ShoeCutContributed') {
                [$from, $to] = [$this->committed()['position'], $this->cut_closed()];
                hold($event['position'] > $from && $event['position'] < $to, "position {$event['position']} contributes while no cut is open");
                ['seat' => $seat, 'contribution' => $bytes] = $event['data'];
                $bytes = hex2bin($bytes);
                $signature = $event['data']['signature'] ?? null;
                $key = hex2bin($signature['public_key'] ?? '');
                if ($signature !== null) {
                    $message = contribution_bytes($this->opening()['table'], hex2bin($this->committed()['commitment']), $this->long ? "\0" : $this->links, $seat, $bytes);
                    hold(player_signed($message, hex2bin($signature['signature']), $key), "the signature of the contribution of seat $seat is wrong");
                }
                $found[$seat] = [$bytes, $key];
            }
        }
        ksort($found);
        return $found;
    }

    /** The position of the event that closed the cut. */
    private function cut_closed(): int
    {
        if ($this->long) {
            return ($this->shoe_closed ?? $this->started())['position'];
        }
        return ($this->fixings()[0] ?? throw new Failed('no event fixed the terms'))['position'];
    }

    /** The cut's bytes, from the contributions. */
    private function cut_bytes(): string
    {
        return cut(hex2bin($this->committed()['commitment']), links($this->drawn_by), $this->contributions());
    }

    private function cut(): void
    {
        $shoe = $this->file['shoe'];
        $contributions = $this->contributions();
        $cut = bin2hex($this->cut_bytes());
        $this->agrees($shoe['contributions'], $contributions, 'the file');
        hold($shoe['cut'] === $cut, 'the cut is not that of the contributions');
        if ($this->long) {
            $started = $this->started();
            $this->agrees($started['data']['contributions'], $contributions, 'ShoeStarted');
            hold($started['data']['cut'] === $cut, 'the cut of ShoeStarted is another');
            $this->start_closed($started);
        }
        // The opening of a round with a long shoe repeats no contributions to the shoe.
        $this->agrees($this->opening()['contributions'], $this->long ? [] : $contributions, 'RoundOpened');
    }

    private function agrees(array $listed, array $contributions, string $where): void
    {
        $found = [];
        foreach ($listed as $each) {
            hold(!isset($found[$each['seat']]), "two contributions of a seat in $where");
            $found[$each['seat']] = [hex2bin($each['contribution']), hex2bin($each['public_key'] ?? '')];
        }
        hold($found === $contributions, "the contributions of $where are others");
    }

    /** A long shoe is closed before it starts. */
    private function start_closed(array $started): void
    {
        $data = $started['data'];
        hold($data['number'] === $this->committed()['number'], 'the shoe has another number');
        $closed = $this->shoe_closed ?? $started;
        hold($this->shoe_closed === null || $data['closing'] === null, 'the shoe was closed twice');
        hold(isset($closed['data']['closing']), 'the shoe was not closed');
        $ruling = $this->before($closed, 'TableOpened', 'RulesTookEffect');
        hold($ruling !== [], 'the shoe was closed before there were rules');
        $rules = sha(canonical(end($ruling)['data']['rules']['values']['whole']));
        $links = links($this->drawn_by);
        $terms = terms($this->opening()['table'], $data['first_round'], $data['shoe'], 0, sha(''), $rules,
            hex2bin($data['commitment']), hex2bin($data['cut']), $links, hex2bin(ZEROS));
        $closing = $closed['data']['closing'];
        $digest = closing($closing, $terms, $links, SHOE, 0, [], [], $closed['data']['closed_at'] ?? $closed['data']['started_at']);
        hold(bin2hex($digest) === $closing['digest'], 'the closing of the shoe is another');
        $this->points($closed, $closing, $data['number'] === 1 ? ZEROS : null);
    }

    private function terms(): void
    {
        $opening = $this->one['RoundOpened'];
        $fixings = $this->fixings();
        hold($fixings !== [], 'no event fixed the terms');
        $last = end($fixings);
        hold($last['position'] < $opening['position'], 'the terms were fixed after the opening');
        $cut = hex2bin($this->file['shoe']['cut']);
        $facts = ['table' => $opening['data']['table'], 'number' => $opening['data']['number'], 'shoe' => $opening['data']['shoe']];
        if ($this->long) {
            $place = $last['data']['place'] ?? null;
            hold($place !== null, 'the terms have no place');
            foreach ($fixings as $event) {
                hold($event['data']['place'] === $place, 'the terms were fixed at two places');
            }
            hold($this->by_round || $place['commitment'] === $this->committed()['commitment'], 'the terms commit to something else');
            hold(!$this->by_round || $place['cards'] === bin2hex(sha(implode('', $this->file['shoe']['dealt']))), 'other cards were out before');
        } else {
            $next = $this->next_shoe($fixings[0]['data']['next_terms'] ?? null) ?? $fixings[0]['data']['next_shoe'] ?? null;
            hold($next !== null, 'the terms have no next shoe');
            $place = ['next_place' => 0, 'cards' => bin2hex(sha('')), 'next_commitment' => $next['commitment'], 'commitment' => $this->committed()['commitment']];
            foreach ($fixings as $event) {
                hold(($event['data']['place'] ?? null) === null, 'a place in a shoe of one round');
            }
        }
        $dealt = $this->data('CardsDealt');
        hold($dealt === null || $dealt['shoe_position'] === $place['next_place'], 'the cards begin at another place');
        $rules = sha(canonical($this->rules['whole']));
        $digest = terms(...$facts, place: $place['next_place'], cards: hex2bin($place['cards']), rules: $rules,
            commitment: hex2bin($place['commitment']), cut: $cut, links: $this->links, next: hex2bin($place['next_commitment']));
        hold($opening['data']['terms'] === bin2hex($digest), 'the opening has other terms');
        hold(($last['data']['digest'] ?? bin2hex($digest)) === bin2hex($digest), 'the terms that were fixed are others');
    }

    /** The wagers' leaves in order of their events; signatures are checked. @return list<string> */
    private function leaves(): array
    {
        $leaves = [];
        $terms = hex2bin($this->opening()['terms']);
        foreach ($this->of_round('WagerConfirmed') as ['data' => $wager]) {
            $signature = $wager['signature'] ?? null;
            $key = hex2bin($signature['public_key'] ?? '');
            $asked = asked(in_rules_order($wager['stakes'], $this->rules), $wager['raised'] ?? []);
            $bytes = wager_bytes($terms, $wager, $this->rules['currency'], $asked, hex2bin($signature['nonce'] ?? ZEROS));
            if ($signature !== null) {
                hold(player_signed($bytes, hex2bin($signature['signature']), $key), "the signature of the wager of seat {$wager['seat']} is wrong");
            }
            $this->unsigned = $this->unsigned || $signature === null;
            $leaves[] = wager_leaf($bytes, $key);
        }
        return $leaves;
    }

    /** The round's closing: event, its closing, kind, cause, and time. @return array{array<string, mixed>, array<string, mixed>, int, int, string} */
    private function closed(): array
    {
        $event = $this->one['BettingClosed'] ?? null;
        if ($event !== null) {
            return [$event, $event['data']['closing'], PLAYED, 0, $event['data']['closed_at']];
        }
        $event = $this->one['RoundVoided'] ?? throw new Failed('betting was never closed');
        if ($event['data'] === null) {
            throw new Later('the voiding is withheld');
        }
        hold(isset($event['data']['closing']), 'voided without a closing');
        return [$event, $event['data']['closing'], VOIDED, CAUSES[$event['data']['reason']], $event['data']['voided_at']];
    }

    /** Check what a closing says of the log and of the closing before ($before, null if the file does not have it). */
    private function points(array $event, array $closing, ?string $before): void
    {
        $heads = array_column($this->events, 'position', 'digest');
        foreach ($this->events as $each) {
            $heads += [$each['previous'] => $each['position'] - 1];
        }
        hold(($heads[$closing['sealed_head']] ?? 0) < $event['position'], 'the closing names a later head of the log');
        hold(($closing['cosigned']['size'] ?? 0) < $event['position'], 'the closing names a later log as cosigned');
        hold($before === null || $closing['before'] === $before, 'the closing follows another than the one before');
        foreach (['sealed_head' => !isset($heads[$closing['sealed_head']]), 'cosigned' => isset($closing['cosigned']), 'before' => $before === null] as $name => $open) {
            $this->unchecked = [...$this->unchecked, ...($open ? [$name] : [])];
        }
    }

    /** The digest of the closing before the round's, zeros if there is none. */
    private function closing_before(): ?string
    {
        $number = $this->opening()['number'];
        $started = $this->long ? $this->started() : null;
        if ($started !== null && $started['data']['first_round'] === $number) {
            return ($this->shoe_closed ?? $started)['data']['closing']['digest'] ?? null;
        }
        return $number === 1 ? ZEROS : null;
    }

    private function closing(): string
    {
        $voided = $this->data('RoundVoided');
        hold(!isset($this->one['BettingClosed']) || ($voided['closing'] ?? null) === null, 'voided with a closing after betting was closed');
        [$event, $closing, $kind, $cause, $at] = $this->closed();
        $ends = [];
        foreach ($this->of_round('SeatLeftRound', ...array_keys(ENDS)) as $each) {
            hold(!isset($ends[$each['data']['seat']]), "the turn of seat {$each['data']['seat']} ended twice");
            $ends[$each['data']['seat']] = ENDS[$each['type']] ?? 0;
        }
        $ends = array_filter($ends);
        $leaves = $this->leaves();
        $digest = closing($closing, hex2bin($this->opening()['terms']), $this->links, $kind, $cause, $leaves, $ends, $at);
        hold(bin2hex($digest) === $closing['digest'], 'the closing is not that of the wagers');
        $before = $this->closing_before();
        $this->points($event, $closing, $before);
        hold($before !== null || $closing['before'] !== ZEROS, 'the closing follows none');
        return $this->unsigned ? 'wagers are not signed: an early closing is not excluded' : '';
    }

    private function witnesses(): void
    {
        $released = $this->one['LinksReleased'] ?? null;
        $dealt = $this->one['CardsDealt'] ?? null;
        $named = $this->opening()['witnesses'] ?? [];
        hold($named || !$released, 'links of no witness');
        $given = [];
        if ($this->shoe_closed !== null || ($named && ($dealt || $released))) {
            $this->in_use($named);
        }
        if ($this->shoe_closed !== null) {
            $closing = $this->shoe_closed['data']['closing'];
            $given[] = $this->released($this->drawn_by, $this->shoe_released(), SHOE, $closing, $this->shoe_closed, $this->started());
        }
        if ($named && ($dealt || $released)) {
            hold($released !== null, 'no links were given out');
            hold($released['data']['round'] === $this->opening()['round'], 'the links are of another round');
            [$closed, $closing, $kind] = $this->closed();
            $given[] = $this->released($named, $released, $kind, $closing, $closed, $dealt);
        }
        if (!$given && $named) {
            throw new Absent('no links were needed');
        }
        $this->numbered(array_merge(...$given));
        $keys = array_map(fn ($links) => array_column($links, 'key'), $given);
        if (array_diff(array_merge(...$keys), [...$this->reader['trusted_witnesses'], ...$this->reader['witness_keys']])) {
            throw new Later('a release key is not among the trusted ones');
        }
        foreach ($named && $this->drawn_by ? $keys : [...$keys, []] as $each) {
            if (array_diff($this->reader['witness_keys'], $each)) {
                throw new Later('a witness whom the reader requires gave out no link');
            }
        }
        if (!$given) {
            throw new Absent('the table has no witness');
        }
    }

    /** Check that the statements of one witness follow one another. @param list<array<string, mixed>> $given */
    private function numbered(array $given): void
    {
        $last = [];
        foreach ($given as $each) {
            ['release' => $release, 'by' => $by, 'said' => $said] = $each;
            $before = $last[$by] ?? null;
            $last[$by] = $each;
            hold(($release['number'] === 1) === ($release['previous'] === ZEROS), 'a statement has another number than its place');
            if ($before === null) {
                $this->unchecked = [...$this->unchecked, ...($release['number'] === 1 ? [] : ['number', 'previous'])];
                continue;
            }
            hold($before['release']['number'] < $release['number'] && $before['release']['time_ms'] <= $release['time_ms'], 'a later statement comes before an earlier one');
            hold($before['release']['number'] + 1 < $release['number'] || $release['previous'] === bin2hex(sha($before['said'])), 'a statement follows another than the one before');
        }
    }

    /** Hold a link to have been given out after a time. */
    private function after(array $release, string $time): void
    {
        hold($release['time_ms'] + 1000 >= intdiv(micros($time), 1000), 'link before the wager');
    }

    /** Check that each witness of the table has one link, and none was swapped unseen. */
    private function in_use(array $named): void
    {
        $opening = $this->one['RoundOpened'];
        [$chains, $ends] = [$this->chains(), []];
        foreach ($this->before($opening, 'WitnessChainsReplaced') as $event) {
            $next = array_keys(array_filter($chains, fn ($each) => $each['version'] === $event['version'] + 1));
            hold($next === [$event['data']['successor']], 'a witness was replaced without its successor');
            $keys = [];
            foreach ($event['data']['ended'] as ['chain' => $chain, 'index' => $index]) {
                hold(isset($chains[$chain]) && !isset($ends[$chain]) && $chains[$chain]['position'] < $event['position'], 'a chain ended that was not in use');
                $keys[$chains[$chain]['release']] = true;
                $ends[$chain] = ['index' => $index, 'position' => $event['position']];
            }
            hold(count($keys) === 1, 'chains of several witnesses ended');
        }
        $taken = [[$named, $this->taken_at()]];
        if ($this->shoe_closed !== null) {
            $taken[] = [$this->drawn_by, $this->shoe_closed['position']];
        }
        foreach ($taken as [$links, $position]) {
            $wanted = [];
            foreach ($chains as $chain => $each) {
                if ($each['position'] < $position && ($ends[$chain]['position'] ?? PHP_INT_MAX) > $position) {
                    $wanted[bin2hex($each['release'])] = true;
                }
            }
            $found = [];
            foreach ($links as ['chain' => $chain, 'index' => $index]) {
                hold(isset($chains[$chain]), 'no chain was opened before the round');
                hold($index < ($ends[$chain]['index'] ?? PHP_INT_MAX), 'a link of an ended chain is used');
                $found[] = bin2hex($chains[$chain]['release']);
            }
            $wanted = array_map('strval', array_keys($wanted));
            sort($wanted);
            sort($found);
            hold($wanted === $found, "the links are not those of the table's witnesses");
        }
        $ended = array_filter($named, fn ($link) => isset($ends[$link['chain']]));
        hold(!$ended || !isset($this->one['BettingClosed']), 'a round was played after its witness was replaced');
    }

    /** The position of the event that took the round's links. */
    private function taken_at(): int
    {
        if (!$this->long && $this->opening()['number'] > 1) {
            return $this->committed()['position'];
        }
        return ($this->fixings()[0] ?? throw new Failed("no event fixes the round's terms"))['position'];
    }

    /** @return array<string, mixed> the event with the links that a long shoe's cards follow from */
    private function shoe_released(): array
    {
        $all = $this->before($this->one['RoundOpened'], 'ShoeLinksReleased');
        hold(count($all) === 1, count($all) . ' releases of links for the shoe');
        return $all[0];
    }

    /** Check the links of a drawing or of a round; return what was signed, and by whom. @return list<array<string, mixed>> */
    private function released(array $named, array $released, int $kind, array $closing, array $closed, ?array $next): array
    {
        hold($closed['position'] < $released['position'] && $released['position'] < ($next['position'] ?? PHP_INT_MAX), 'links were given out at another time');
        hold(array_column($released['data']['releases'], 'chain') === array_column($named, 'chain'), 'the links are others than were named');
        $given = [];
        $times = [$closed['data']['closed_at'] ?? $closed['data']['voided_at'], ...($kind === SHOE ? [] : array_column(array_column($this->of_round('WagerConfirmed'), 'data'), 'confirmed_at'))];
        foreach ($named as $place => ['chain' => $chain, 'index' => $index]) {
            $header = $this->chains()[$chain] ?? throw new Failed('no chain was opened before the round');
            $release = $released['data']['releases'][$place];
            hold($index < 2 ** $header['height'], 'the chain has no such link');
            $said = statement($chain, $index, $kind, hex2bin($closing['digest']), $release);
            hold(signed($said, hex2bin($release['signature']), $header['release']), "a witness's signature is wrong");
            hold(strlen($release['path']) === $header['height'] * 64, 'the path has another length');
            $path = str_split(hex2bin($release['path']), 32);
            hold(included(link_leaf($index, hex2bin($release['link'])), $index, 2 ** $header['height'], $path, $header['root']), 'the link is not in its chain');
            foreach ($times as $time) {
                $this->after($release, $time);
            }
            $key = bin2hex($header['release']);
            $given[] = ['key' => $key, 'by' => "$key {$header['generation']}", 'release' => $release, 'said' => $said];
        }
        return $given;
    }

    /** @return array<string, array<string, mixed>> the headers of all chains that were opened before the round, with their events, by id */
    private function chains(): array
    {
        $chains = [];
        foreach ($this->before($this->one['RoundOpened'], 'WitnessChainOpened') as $event) {
            $bytes = hex2bin($event['data']['header']);
            $header = chain_header($bytes);
            hold($header['table'] === uuid($this->opening()['table']), 'a chain is of another table');
            hold(signed($bytes, hex2bin($event['data']['signature']), $header['release']), "the witness's signature of a chain is wrong");
            hold(signed($bytes, hex2bin($event['data']['house_signature']), $header['house']), "the house's signature of a chain is wrong");
            $chains[$header['id']] = $header + ['position' => $event['position'], 'version' => $event['version']];
            hold($header['number'] === count($chains), 'a chain of the table is missing');
        }
        return $chains;
    }

    private function cosignatures(): string
    {
        $note = $this->file['checkpoint'] === null ? null : note($this->file['checkpoint']);
        if ($note === null || array_diff(array_column($note['signatures'], 'name'), [$note['origin']]) === []) {
            throw new Absent('nobody has cosigned');
        }
        foreach ($this->chains() as $header) {
            hold($header['origin'] === $note['origin'], 'the cosigned log is another than that of a chain');
        }
        foreach ($note['signatures'] as ['name' => $name, 'id' => $id, 'signature' => $signature]) {
            foreach (array_map(cosigner(...), $this->reader['cosigners']) as [$trusted, $its, $key]) {
                if ($name === $trusted && $id === $its) {
                    $time = unpack('J', $signature)[1];
                    hold($time > 0 && $time <= 253402300799 && signed(cosigned_bytes($note['text'], $time), substr($signature, 8), $key), "the cosignature of $name is not by its key");
                    $this->cosigned_by[] = ['name' => $name, 'time' => gmdate('Y-m-d\TH:i:s\Z', $time)];
                }
            }
        }
        if ($this->cosigned_by === []) {
            throw new Later('no cosigner is among the trusted ones');
        }
        return implode(', ', array_column($this->cosigned_by, 'name'));
    }

    /** The caveats of section 11. @return list<string> */
    private function caveats(): array
    {
        $caveats = [];
        $named = $this->opening()['witnesses'] ?? [];
        $released = $this->one['LinksReleased'] ?? null;
        $voided = $this->one['RoundVoided'] ?? null;
        if ($named && $voided && !isset($this->one['RoundSettled'])) {
            if ($released === null) {
                $caveats[] = 'unconfirmed';
            } elseif (isset($this->one['BettingClosed']) && min(array_column($released['data']['releases'], 'time_ms')) < $this->millis($voided)) {
                $caveats[] = 'after_release';
            }
        }
        $drawings = [];
        if ($this->shoe_closed !== null) {
            $committed = array_values(array_filter($this->events, fn ($event) => $event['type'] === 'ShoeCommitted' && $event['data']['shoe'] === $this->opening()['shoe']));
            $drawings[] = [$this->shoe_released(), $committed[0], $this->shoe_closed];
        }
        if ($released !== null) {
            $fixings = $this->fixings();
            $drawings[] = [$released, end($fixings), $this->one['BettingClosed'] ?? $voided];
        }
        foreach ($drawings as [$given, $terms, $closed]) {
            foreach (array_column($given['data']['releases'], 'time_ms') as $time) {
                if ($time < $this->millis($terms)) {
                    $caveats[] = 'before_terms';
                } elseif ($time < $this->millis($closed)) {
                    $caveats[] = 'before_closing';
                }
            }
        }
        return $caveats;
    }

    /** @param array<string, mixed> $event */
    private function millis(array $event): int
    {
        return intdiv(micros($event['recorded_at']), 1000);
    }

    private function receipt(): void
    {
        if ($this->reader['receipts'] === []) {
            throw new Absent('none was given');
        }
        $unknown = false;
        foreach ($this->reader['receipts'] as $text) {
            $read = Reader::read($text);
            foreach (is_array($read) ? $read : [$read] as $each) {
                $key = match ($each instanceof Members ? $each->all['kind'] ?? null : null) {
                    'wager' => $this->receipt_of_wager(shaped($each, RECEIPT, 'receipt')),
                    'payout' => $this->payout(shaped($each, PAYOUT, 'payout')),
                    'contribution' => $this->receipt_of_contribution(shaped($each, CONTRIBUTED, 'receipt')),
                    default => throw new Failed('the receipt is of no known kind'),
                };
                $unknown = $unknown || !in_array($key, $this->reader['receipt_keys'], true);
            }
        }
        if ($unknown) {
            throw new Later('the key of a receipt is not among the trusted ones');
        }
    }

    /** The key, if it signed the bytes. @param array<string, mixed> $receipt */
    private function key_of(array $receipt, string $bytes): string
    {
        hold(signed($bytes, hex2bin($receipt['signature']), hex2bin($receipt['public_key'])), "the receipt's signature is wrong");
        return $receipt['public_key'];
    }

    /** @param array<string, mixed> $payout */
    private function payout(array $payout): string
    {
        [$bytes, $lines] = payout_bytes($payout);
        $key = $this->key_of($payout, $bytes);
        $opening = $this->opening();
        hold($payout['round'] === $opening['round'] && $payout['table'] === $opening['table'], 'the payout is of another round');
        hold($payout['terms'] === $opening['terms'] && $payout['currency'] === $this->rules['currency'], 'the payout is of other terms');
        $leaves = array_map(bin2hex(...), $this->leaves());
        $place = array_search($payout['leaf'], $leaves, true);
        hold($place !== false, 'the payout is of another wager');
        $wager = $this->of_round('WagerConfirmed')[$place]['data'];
        hold($payout['wager'] === $wager['wager'] && $payout['player'] === $wager['player'], 'the payout is of another player');
        $settled = $this->data('RoundSettled') ?? throw new Failed('the round was not settled');
        hold(micros($settled['settled_at']) === micros($payout['settled_at']), 'the payout is of another time');
        $results = array_column($settled['wagers'], 'results', 'seat')[$wager['seat']] ?? [];
        $paid = array_map(fn ($line) => [$line['spot'], $line['stake'], $line['result'], $line['returned'], $line['commission']], $results);
        hold($lines !== [] && $paid === $lines, 'the wager returned something else than its payout says');
        return $key;
    }

    /** @param array<string, mixed> $receipt */
    private function receipt_of_contribution(array $receipt): string
    {
        $key = $this->key_of($receipt, contributed_bytes($receipt));
        hold($receipt['table'] === $this->opening()['table'] && $receipt['commitment'] === $this->committed()['commitment'], 'the receipt is of another drawing');
        hold(links($receipt['witnesses']) === ($this->long ? "\0" : $this->links), 'the receipt is of other witnesses');
        foreach ($this->events as ['type' => $type, 'data' => $data]) {
            $found = $type === 'ShoeCutContributed' && $data['seat'] === $receipt['seat'] && $data['player'] === $receipt['player']
                && $data['contribution'] === $receipt['contribution'] && ($data['signature']['public_key'] ?? '') === $receipt['player_key'];
            if ($found) {
                return $key;
            }
        }
        throw new Failed('the cut lacks the contribution of its receipt');
    }

    /** @param array<string, mixed> $receipt */
    private function receipt_of_wager(array $receipt): string
    {
        [$terms, $bytes, $leaf] = receipt_bytes($receipt);
        $key = $this->key_of($receipt, $bytes);
        hold(bin2hex($terms) === $receipt['terms']['digest'], "the receipt's terms are others than their digest");
        hold(bin2hex($leaf) === $receipt['leaf'], "the receipt's leaf is another than that of its wager");
        $opening = $this->opening();
        hold($receipt['round'] === $opening['round'] && $receipt['table'] === $opening['table'], 'the receipt is of another round');
        hold(($opening['terms'] ?? '') === $receipt['terms']['digest'], 'the round was opened with other terms than the receipt says');
        hold(bin2hex($this->leaves()[$receipt['place']] ?? '') === $receipt['leaf'], 'another wager is at the place of the receipt');
        foreach ($this->data('LinksReleased')['releases'] ?? [] as $release) {
            $this->after($release, $receipt['confirmed_at']);
        }
        return $key;
    }

    private function cards(): void
    {
        $dealt = $this->data('CardsDealt');
        if ($dealt === null) {
            hold($this->file['shoe']['openings'] === [], 'cards of the shoe are opened that were not dealt');
            throw new Absent('no cards were dealt');
        }
        if (isset($this->one['CardsForced'])) {
            hold($this->file['shoe']['openings'] === [], 'cards of the shoe are opened that were not dealt');
            hold($this->data('CardsForced')['cards'] === $dealt['cards'], 'the cards are not the chosen ones');
            throw new Absent('the cards were chosen');
        }
        $first = $dealt['shoe_position'];
        $places = range($first, $first + count($dealt['cards']) - 1);
        hold($dealt['cards'] !== [] && end($places) < 52 * $this->rules['decks'], 'there are no such places');
        $needed = array_combine($places, $dealt['cards']);
        if ($this->long) {
            $started = $this->started()['data'];
            if ($this->rules['burn']) {
                hold($started['turned_card'] !== null, 'no card was turned over');
                $needed = [$started['turned_card']] + $needed;
                hold($started['burned_count'] === (points($started['turned_card']) ?: 10), 'another number of cards was burned');
                hold($first > $started['burned_count'], 'a burned card was dealt');
            } else {
                hold($started['turned_card'] === null && $started['burned_count'] === 0, 'cards were burned');
            }
        } else {
            hold($first === 0, 'a round with a shoe of its own begins at place 0');
        }
        if ($this->by_round) {
            $this->drawn_from_left($started, $dealt);
            return;
        }
        $this->opened(array_keys($needed));
        $seed = $this->file['shoe']['seed'];
        if ($seed === null && !$this->long) {
            throw new Later('the seed is secret');
        }
        $opened = array_column($this->file['shoe']['openings'], 'card', 'shoe_position');
        $drawn = $seed === null ? [] : $this->drawn($this->long ? null : count($needed));
        hold(!array_diff_key($needed, $opened) || ($opened === [] && $seed !== null), 'a card was not opened');
        foreach ($needed as $place => $card) {
            hold(($drawn[$place] ?? $card) === $card && ($opened[$place] ?? $card) === $card, "the card at place $place is another");
        }
    }

    /** Hold the cards to what the round draws from those left by its own seed and links. */
    private function drawn_from_left(array $started, array $dealt): void
    {
        ['seed' => $seed, 'round_seed' => $own, 'dealt' => $out, 'openings' => $openings] = $this->file['shoe'];
        hold($openings === [], 'a card of no order was opened');
        hold($dealt['shoe_position'] >= count($out) + $started['burned_count'], 'more cards are out than places');
        hold($started['turned_card'] === null || ($out[0] ?? null) === $started['turned_card'], 'another card was turned over');
        if ($started['turned_card'] !== null && $seed !== null) {
            $first = $this->draws(hex2bin($seed), $this->drawn_by, fn () => $this->shoe_released()['data'], 1);
            hold($first === [$started['turned_card']], 'the turned card is not that of the shoe');
        }
        $own ?? throw new Later("the round's seed is secret");
        $named = $this->opening()['witnesses'] ?? [];
        $cards = $this->draws(hex2bin($own), $named, fn () => $this->data('LinksReleased'), count($dealt['cards']), $out);
        hold($cards === $dealt['cards'], 'the cards are not those that the round draws');
    }

    /** Hold each opened card to the root. @param list<int> $needed places */
    private function opened(array $needed): void
    {
        $openings = $this->file['shoe']['openings'];
        hold(!array_diff(array_column($openings, 'shoe_position'), $needed), 'a card was opened that is not of the round');
        hold($openings === [] || $this->long, 'cards of a shoe without a root were opened');
        foreach ($openings as ['shoe_position' => $place, 'card' => $card, 'salt' => $salt, 'path' => $path]) {
            $hash = card_leaf($place, $card, hex2bin($salt));
            $path = array_map(hex2bin(...), $path);
            hold(included($hash, $place, 52 * $this->rules['decks'], $path, hex2bin($this->started()['data']['root'])), "the card at place $place is not in the shoe's tree");
        }
    }

    /** The shoe's cards by its seed, cut and links. @return list<string> */
    private function drawn(?int $count): array
    {
        $seed = hex2bin($this->file['shoe']['seed']);
        $released = fn () => $this->long ? $this->shoe_released()['data'] : $this->data('LinksReleased');
        return $this->rooted($seed, $this->draws($seed, $this->drawn_by, $released, $count));
    }

    /** What a drawing draws by its seed, the cut and its links. @param list<string> $out @return list<string> */
    private function draws(string $seed, array $named, Closure $released, ?int $count, array $out = []): array
    {
        $cut = hex2bin($this->file['shoe']['cut']);
        $links = chr(count($named));
        foreach ($named as $place => ['chain' => $chain, 'index' => $index]) {
            $release = $released()['releases'][$place] ?? throw new Failed('a link is missing');
            $links .= hex2bin($chain) . u64($index) . hex2bin($release['link']);
        }
        return shuffled($this->rules['decks'], words(drawing_key($seed, $cut, $links)), $count, $out);
    }

    /** @param list<string> $cards @return list<string> */
    private function rooted(string $seed, array $cards): array
    {
        hold(!$this->long || bin2hex(shoe_root($seed, $cards)) === $this->started()['data']['root'], "the shoe's root is not that of its cards");
        return $cards;
    }

    private function hands(): void
    {
        $dealt = $this->data('CardsDealt') ?? throw new Absent('no cards were dealt');
        $hands = hands($dealt['cards']);
        hold($hands['used'] === count($dealt['cards']), 'cards are left over');
        foreach ($this->of_round('HandTurned') as ['data' => $turned]) {
            // A hand is turned over before third cards are drawn.
            $hand = $hands[$turned['side']] ?? null;
            hold(in_array($turned['side'], ['player', 'banker'], true) && $turned['cards'] === array_slice($hand, 0, 2), 'another hand was turned over');
        }
        $settled = $this->data('RoundSettled') ?? throw new Failed('cards were dealt without a settlement');
        hold($settled['player_total'] === total($hands['player']) && $settled['banker_total'] === total($hands['banker']), 'the totals are others');
        hold($settled['natural'] === $hands['natural'] && $settled['outcome'] === $hands['outcome'], 'the outcome is another');
    }

    private function wagers(): void
    {
        $seats = array_column($this->opening()['seats'], null, 'seat');
        hold(count($seats) === count($this->opening()['seats']), 'two players at a seat');
        $wagers = [];
        foreach ($this->of_round('WagerConfirmed') as ['data' => $wager]) {
            $seat = $wager['seat'];
            hold(isset($seats[$seat]), "seat $seat is not in the round");
            hold(!isset($wagers[$seat]), "seat $seat has two wagers");
            hold(bin2hex(uuid($wager['wager'])) === wager_id($this->opening()['round'], $seat), "the wager of seat $seat has another id");
            hold($seats[$seat]['player'] === $wager['player'] && $seats[$seat]['money_type'] === $wager['money_type'], "the wager of seat $seat is of another player or money");
            $this->within_limits($wager);
            $wagers[$seat] = $wager;
        }
        [$settled, $rules] = [$this->data('RoundSettled'), $this->rules];
        hold($wagers !== [] || !isset($this->one['BettingClosed']), 'no wagers were confirmed');
        if ($settled === null) {
            return;
        }
        hold(count($settled['wagers']) === count($wagers), 'not every wager was settled once');
        foreach ($settled['wagers'] as $each) {
            $wager = $wagers[$each['seat']] ?? throw new Failed("a wager of seat {$each['seat']} was settled");
            unset($wagers[$each['seat']]);
            hold($wager['wager'] === $each['wager'] && $wager['player'] === $each['player'] && $wager['money_type'] === $each['money_type'], 'another wager was settled');
            hold(array_column($each['results'], 'stake', 'spot') === in_rules_order($wager['stakes'], $rules), 'other stakes were settled, or in another order');
        }
    }

    private function within_limits(array $wager): void
    {
        $rules = $this->rules;
        hold($wager['stakes'] !== [], 'a wager without stakes');
        hold($rules['spots_per_round'] === 'any' || count($wager['stakes']) === 1, 'more than one spot');
        hold($wager['money_type'] === 'real' || $rules['play_money'], 'play money');
        asked($wager['stakes'], $wager['raised'] ?? []);
        foreach ($wager['stakes'] as $name => $stake) {
            $spot = spot($rules, $name);
            $least = $spot['minimum'] ?? $rules['minimum'];
            hold($stake >= $least && $stake <= ($spot['maximum'] ?? $rules['maximum']), "the stake on $name is not within the limits");
            hold($spot['needs'] === [] || array_intersect($spot['needs'], array_keys($wager['stakes'])), "the stake on $name needs another");
            $raises = $rules['under_minimum'] === 'raise' && $spot['kind'] === 'main' && $stake === $least;
            hold(!isset($wager['raised'][$name]) || $raises, "the stake on $name was raised");
        }
    }

    private function payouts(): void
    {
        $this->settlement(['result', 'won', 'returned'], ['staked' => 'stake', 'won' => 'won', 'returned' => 'returned']);
    }

    private function commission(): void
    {
        $this->settlement(['commission'], ['commission' => 'commission']);
        foreach ($this->data('RoundSettled')['wagers'] as $wager) {
            hold($wager['deferred'] === deferred($this->rules), 'commission is taken at another time');
        }
    }

    /** @param list<string> $members of results @param array<string, string> $sums */
    private function settlement(array $members, array $sums): void
    {
        $settled = $this->data('RoundSettled') ?? throw new Absent('not settled');
        $facts = facts($this->data('CardsDealt')['cards'] ?? throw new Failed('settled without cards'));
        foreach ($settled['wagers'] as $wager) {
            foreach ($wager['results'] as $result) {
                $right = settle($this->rules, $result['spot'], $result['stake'], $facts);
                foreach ($members as $member) {
                    hold($result[$member] === $right[$member], "$member of seat {$wager['seat']} on {$result['spot']} is {$result[$member]} instead of {$right[$member]}");
                }
            }
            foreach ($sums as $sum => $member) {
                hold($wager[$sum] === array_sum(array_column($wager['results'], $member)), "$sum of seat {$wager['seat']} is no sum");
            }
        }
    }

    private function void(): void
    {
        $voided = $this->one['RoundVoided'] ?? throw new Absent('not voided');
        $seats = ($voided['data'] ?? throw new Later('withheld'))['seats'];
        $wagers = array_column(array_column($this->of_round('WagerConfirmed'), 'data'), null, 'seat');
        $settled = array_column($this->data('RoundSettled')['wagers'] ?? [], null, 'seat');
        hold(count($seats) === count($wagers), 'not every wager was given back once');
        foreach ($seats as $seat) {
            $wager = $wagers[$seat['seat']] ?? throw new Failed('a wager that was never made was given back');
            unset($wagers[$seat['seat']]);
            hold($wager['wager'] === $seat['wager'] && $wager['player'] === $seat['player'] && $wager['money_type'] === $seat['money_type'], 'it was given back to another');
            hold($seat['staked'] === array_sum($wager['stakes']), "the stakes of seat {$seat['seat']} were not given back");
            $paid = $settled[$seat['seat']] ?? ['returned' => 0, 'commission' => 0, 'deferred' => false];
            $deferred = $paid['deferred'] ? $paid['commission'] : 0;
            hold($seat['returned'] === $paid['returned'], "what was returned to seat {$seat['seat']} was not taken back");
            hold($seat['commission'] === $paid['commission'] && $seat['from_rack'] <= $deferred, "the commission of seat {$seat['seat']} was not undone");
            $given = $seat['to_game'] + $seat['to_account'] - $seat['from_game'] - $seat['from_account'] - $seat['owed'] - $seat['forgiven'];
            hold($given === $seat['staked'] - $seat['returned'], "the money of seat {$seat['seat']} does not add up");
        }
    }
}

/** T, R and the leaf of a receipt. @param array<string, mixed> $receipt @return array{string, string, string} */
function receipt_bytes(array $receipt): array
{
    $of = $receipt['terms'];
    $terms = terms($receipt['table'], $of['number'], $of['shoe'], $of['next_place'], hex2bin($of['cards']), hex2bin($of['rules']),
        hex2bin($of['commitment']), hex2bin($of['cut']), links($of['witnesses'] ?? []), hex2bin($of['next_commitment']));
    [$stakes, $raised] = [minor($receipt['stakes']), minor($receipt['raised'])];
    $signature = $receipt['wager_signature'];
    $wager = wager_bytes($terms, $receipt, $receipt['currency'], asked($stakes, $raised), hex2bin($signature['nonce'] ?? ZEROS));
    $leaf = wager_leaf($wager, hex2bin($signature['public_key'] ?? ''));
    hold($signature === null || player_signed($wager, hex2bin($signature['signature']), hex2bin($signature['public_key'])), "the wager's signature in the receipt is wrong");
    $closes = $receipt['close_by'] === null ? 0 : micros($receipt['close_by']);
    $bytes = "casino.baccarat.receipt.v2\0" . $terms . $leaf . uuid($receipt['player']) . chr($receipt['seat']) . pack('N', $receipt['place']) . stakes_bytes($stakes)
        . sized($receipt['currency']) . u64(micros($receipt['confirmed_at'])) . u64($closes);
    return [$terms, $bytes, $leaf];
}

/** The bytes of a payout, and its lines in minor units. @param array<string, mixed> $payout @return array{string, list<array<int, mixed>>} */
function payout_bytes(array $payout): array
{
    $lines = [];
    $bytes = "casino.baccarat.payout.v1\0" . hex2bin($payout['terms']) . hex2bin($payout['leaf']) . uuid($payout['player']) . pack('N', count($payout['results']));
    foreach ($payout['results'] as $line) {
        [$stake, $returned, $commission] = array_map(fn ($name) => exact((int) str_replace('.', '', $line[$name])), ['stake', 'returned', 'commission']);
        $bytes .= sized($line['spot']) . u64($stake) . sized($line['result']) . u64($returned) . u64($commission);
        $lines[] = [$line['spot'], $stake, $line['result'], $returned, $commission];
    }
    return [$bytes . sized($payout['currency']) . u64(micros($payout['settled_at'])), $lines];
}

/** The bytes of a contribution's receipt. @param array<string, mixed> $receipt */
function contributed_bytes(array $receipt): string
{
    return "casino.baccarat.contributed.v1\0" . uuid($receipt['table']) . hex2bin($receipt['commitment']) . links($receipt['witnesses'])
        . chr($receipt['seat']) . uuid($receipt['player']) . sized(hex2bin($receipt['player_key'])) . sized(hex2bin($receipt['contribution']))
        . u64(micros($receipt['contributed_at']));
}

/** Amounts with a currency's decimals, in its minor unit. @param list<array{spot: string, amount: string}> $amounts @return array<string, int> */
function minor(array $amounts): array
{
    $found = [];
    foreach ($amounts as ['spot' => $spot, 'amount' => $amount]) {
        hold(!isset($found[$spot]), 'a spot occurs twice in the receipt');
        $found[$spot] = exact((int) str_replace('.', '', $amount));
    }
    return $found;
}

// The published vectors

/** Recompute each member of the vectors. @return list<string> their names @param array<string, mixed> $all */
function recomputed(array $all, Members $raw): array
{
    $names = [];
    foreach ($all as $name => $vector) {
        if ($name === 'contribution') {
            $vector['unsigned'] = $all['drawing']['contributions'][0];
        }
        $wrong = array_keys(array_filter(vector($name, $vector, $raw->all[$name]), fn (array $pair) => $pair[0] !== $pair[1]));
        hold($wrong === [], "$name: " . implode(', ', $wrong));
        $names[] = $name;
    }
    return $names;
}

/** Pairs of what was computed and what the vector says, by name. @return array<string, array{mixed, mixed}> */
function vector(string $name, mixed $it, mixed $raw): array
{
    switch ($name) {
        case 'canonical_json':
            return ['bytes' => [bin2hex(canonical($raw->all['value'])), $it['bytes']]];
        case 'seal':
            $event = $raw->all['event']->all;
            return ['digest' => [bin2hex(seal($it['event'], $event['data'], $event['metadata'])), $it['digest']]];
        case 'merkle':
            $leaves = array_map(fn ($data) => leaf(hex2bin($data)), $it['leaf_data']);
            $path = array_map(hex2bin(...), $it['path']);
            return ['root' => [bin2hex(root($leaves)), $it['root']],
                'path' => [included($leaves[$it['index']], $it['index'], count($leaves), $path, hex2bin($it['root'])), true]];
        case 'shuffle':
            return array_map(fn ($each) => [implode(' ', shuffled($each['decks'], words(drawing_key(hex2bin($each['seed']), hex2bin($each['cut']))), 12)), $each['cards']], $it);
        case 'openings':
            $cards = shuffled($it['decks'], words(drawing_key(hex2bin($it['seed']), hex2bin($it['cut']))));
            $leaf = card_leaf($it['place'], $it['card'], hex2bin($it['salt']));
            return ['card' => [$cards[$it['place']], $it['card']], 'salt' => [bin2hex(salt(hex2bin($it['seed']), $it['place'])), $it['salt']],
                'root' => [bin2hex(shoe_root(hex2bin($it['seed']), $cards)), $it['root']],
                'path' => [included($leaf, $it['place'], 52 * $it['decks'], array_map(hex2bin(...), $it['path']), hex2bin($it['root'])), true]];
        case 'terms':
            return ['rules' => [hash('sha256', canonical($raw->all['rules'])), $it['terms']['rules']],
                'digest' => [bin2hex(terms_of($it['terms'])), $it['digest']]];
        case 'closing':
            return array_map(closing_vector(...), $it);
        case 'wager':
            $wager = $it['wager'];
            $signature = $wager['signature'];
            $bytes = wager_bytes(hex2bin($it['terms']), $wager, $it['currency'], asked($wager['stakes'], $wager['raised']), hex2bin($signature['nonce']));
            return ['bytes' => [bin2hex($bytes), $it['bytes']], 'leaf' => [bin2hex(wager_leaf($bytes, hex2bin($signature['public_key']))), $it['leaf']],
                'signature' => [player_signed($bytes, hex2bin($signature['signature']), hex2bin($signature['public_key'])), true]];
        case 'receipt':
            $receipt = shaped($raw->all['receipt'], RECEIPT, 'receipt');
            [$terms, $bytes, $leaf] = receipt_bytes($receipt);
            return ['terms' => [bin2hex($terms), $receipt['terms']['digest']], 'leaf' => [bin2hex($leaf), $receipt['leaf']], 'bytes' => [bin2hex($bytes), $it['bytes']],
                'signature' => [signed($bytes, hex2bin($receipt['signature']), hex2bin($receipt['public_key'])), true]];
        case 'payout':
            $payout = shaped($raw->all['payout'], PAYOUT, 'payout');
            $bytes = payout_bytes($payout)[0];
            return ['bytes' => [bin2hex($bytes), $it['bytes']], 'signature' => [signed($bytes, hex2bin($payout['signature']), hex2bin($payout['public_key'])), true]];
        case 'contributed':
            $receipt = shaped($raw->all['receipt'], CONTRIBUTED, 'receipt');
            $bytes = contributed_bytes($receipt);
            return ['bytes' => [bin2hex($bytes), $it['bytes']], 'signature' => [signed($bytes, hex2bin($receipt['signature']), hex2bin($receipt['public_key'])), true]];
        case 'hands':
            return array_map(fn ($each) => [hands(explode(' ', $each['cards'])), ['player' => explode(' ', $each['player']), 'banker' => explode(' ', $each['banker']),
                'natural' => $each['natural'], 'used' => $each['used'], 'outcome' => $each['outcome']]], $it);
        case 'money':
            $rules = array_map(fn ($each) => shaped($each, RULES, 'rules', true), $raw->all['rules']->all);
            return array_map(fn ($each) => [settle($rules[$each['rules']], $each['spot'], $each['stake'], facts(explode(' ', $each['cards']))), array_intersect_key($each, ['result' => 0, 'won' => 0, 'commission' => 0, 'returned' => 0])], $it['stakes']);
        case 'facts':
            return array_map(fn ($each) => [sorted(facts(explode(' ', $each['cards']))), sorted($each['facts'])], $it);
        case 'published':
            $found = array_map(fn ($rules) => game($rules), $raw->all['rules']->all);
            return ['digests' => [$found, $it['digests']], 'known' => [PUBLISHED, $it['digests']]];
        case 'drawing':
            $seed = hex2bin($it['seed']);
            $commitment = commitment($seed, $it['table'], $it['shoe'], $it['number']);
            $cut = cut($commitment, "\0", by_seat($it['contributions']));
            $key = drawing_key($seed, $cut);
            return ['commitment' => [bin2hex($commitment), $it['commitment']], 'uncut' => [bin2hex(cut($commitment, "\0", [])), $it['uncut']],
                'cut' => [bin2hex($cut), $it['cut']], 'key' => [bin2hex($key), $it['key']], 'words' => [first_words(words($key), count($it['words'])), $it['words']],
                'cards' => [implode(' ', shuffled($it['decks'], words($key), 12)), $it['cards']]];
        case 'contribution':
            $bytes = contribution_bytes($it['table'], hex2bin($it['commitment']), "\0", $it['seat'], hex2bin($it['contribution']));
            $cut = cut(hex2bin($it['commitment']), "\0", by_seat([$it['unsigned'], $it]));
            return ['bytes' => [bin2hex($bytes), $it['bytes']], 'cut' => [bin2hex($cut), $it['cut']],
                'signature' => [player_signed($bytes, hex2bin($it['signature']), hex2bin($it['public_key'])), true]];
        case 'witnesses':
            return witnesses_vector($it);
        case 'canonical_names':
            return ['bytes' => [bin2hex(canonical($raw->all['value'])), $it['bytes']]];
        case 'witnessed_round':
            return witnessed_round_vector($it);
        case 'witnessed_shoe':
            return witnessed_shoe_vector($it);
        case 'drawn_round':
            return drawn_round_vector($it);
        case 'cosignature':
            return cosignature_vector($it);
    }
    throw new Failed("no such vector: $name");
}

function sorted(array $members): array
{
    ksort($members);
    return $members;
}

function first_words(Generator $words, int $count): array
{
    $found = [];
    while (count($found) < $count) {
        $found[] = $words->current();
        $words->next();
    }
    return $found;
}

function by_seat(array $contributions): array
{
    return array_column(array_map(fn ($each) => [$each['seat'], [hex2bin($each['contribution']), hex2bin($each['public_key'] ?? '')]], $contributions), 1, 0);
}

function terms_of(array $of): string
{
    return terms($of['table'], $of['number'], $of['shoe'], $of['next_place'], hex2bin($of['cards']), hex2bin($of['rules']),
        hex2bin($of['commitment']), hex2bin($of['cut']), links($of['witnesses']), hex2bin($of['next_commitment']));
}

function closing_vector(array $it): array
{
    $leaves = [];
    foreach ($it['wagers'] as $wager) {
        $leaves[] = wager_leaf(wager_bytes(hex2bin($it['terms']), $wager, $it['currency'], asked($wager['stakes'], $wager['raised']), hex2bin(ZEROS)), '');
    }
    $closing = $it['closing'];
    $digest = closing($closing, hex2bin($it['terms']), "\0", $closing['kind'], $closing['cause'], $leaves, array_column($closing['seats'], 'end', 'seat'), $it['closed_at']);
    return [[array_map(bin2hex(...), $leaves), bin2hex(root($leaves)), count($leaves), bin2hex($digest)], [$it['leaves'], $closing['wagers'], $closing['count'], $closing['digest']]];
}

function witnesses_vector(array $it): array
{
    $bytes = hex2bin($it['header']);
    $header = chain_header($bytes);
    $secret = hex2bin($it['k']);
    $all = array_map(fn ($index) => hmac($secret, "casino.witness.link.v1\0" . u64($index)), range(0, 2 ** $it['h'] - 1));
    $leaves = array_map(link_leaf(...), array_keys($all), $all);
    $links = links([['chain' => $it['chain'], 'index' => $it['index']]]);
    $cut = cut(hex2bin($it['commitment']), $links, by_seat($it['contributions']));
    $key = drawing_key(hex2bin($it['seed']), $cut, $links . $all[$it['index']]);
    $said = statement($it['chain'], $it['index'], PLAYED, hex2bin($it['digest']), $it['release']);
    return [
        'chain' => [$header['id'], $it['chain']], 'root' => [root($leaves), $header['root']], 'height' => [$header['height'], $it['h']],
        'signature' => [signed($bytes, hex2bin($it['signature']), $header['release']), true],
        'house_signature' => [signed($bytes, hex2bin($it['house_signature']), $header['house']), true],
        'x' => [bin2hex($links), $it['x']], 'cut' => [bin2hex($cut), $it['cut']], 'key' => [bin2hex($key), $it['key']],
        'cards' => [implode(' ', shuffled(8, words($key), 6)), $it['cards']], 'link' => [bin2hex($all[$it['index']]), $it['release']['link']],
        'statement' => [bin2hex($said), $it['statement']], 'release' => [signed($said, hex2bin($it['release']['signature']), $header['release']), true],
        'path' => [included($leaves[$it['index']], $it['index'], count($leaves), str_split(hex2bin($it['release']['path']), 32), $header['root']), true],
    ];
}

/** What a closing over $leaves has as its digest, and what a vector says. @return array{string, string} */
function closed_vector(array $it, array $closing, array $leaves): array
{
    $links = links($it['terms']['witnesses']);
    $digest = closing($closing, terms_of($it['terms']), $links, $closing['kind'], $closing['cause'], $leaves, array_column($closing['seats'], 'end', 'seat'), $it['closed_at']);
    return [bin2hex($digest), $closing['digest']];
}

function witnessed_round_vector(array $it): array
{
    $given = $it['contribution'];
    $links = links($given['witnesses']);
    $bytes = contribution_bytes($given['table'], hex2bin($given['commitment']), $links, $given['seat'], hex2bin($given['contribution']));
    $leaves = array_map(fn ($wager) => wager_leaf(wager_bytes(terms_of($it['terms']), $wager, $it['currency'], asked($wager['stakes'], $wager['raised']), hex2bin(ZEROS)), ''), $it['wagers']);
    $asked = $it['request'];
    $request = "casino.witness.closing.v1\0" . hex2bin($asked['chain']) . u64($asked['index']) . chr($asked['kind']) . hex2bin($asked['digest']);
    $closings = array_map(fn ($each) => closed_vector($it, $each, array_slice($leaves, 0, $each['count'])), $it['closings']);
    return $closings + [
        'bytes' => [bin2hex($bytes), $given['bytes']], 'signature' => [player_signed($bytes, hex2bin($given['signature']), hex2bin($given['public_key'])), true],
        'cut' => [bin2hex(cut(hex2bin($given['commitment']), $links, by_seat([$given]))), $it['terms']['cut']],
        'digest' => [bin2hex(terms_of($it['terms'])), $it['digest']], 'leaves' => [array_map(bin2hex(...), $leaves), $it['leaves']],
        'request' => [bin2hex($request), $asked['bytes']], 'asked' => [signed($request, hex2bin($asked['signature']), hex2bin($asked['public_key'])), true],
    ];
}

function witnessed_shoe_vector(array $it): array
{
    $seed = hex2bin($it['seed']);
    $links = links($it['witnesses']);
    $commitment = commitment($seed, $it['table'], $it['shoe'], $it['number']);
    $cut = cut($commitment, $links, by_seat($it['contributions']));
    $key = drawing_key($seed, $cut, $links . hex2bin($it['link']));
    $cards = shuffled($it['decks'], words($key));
    $leaf = card_leaf($it['place'], $it['card'], hex2bin($it['salt']));
    return [
        'commitment' => [bin2hex($commitment), $it['commitment']], 'cut' => [bin2hex($cut), $it['cut']], 'key' => [bin2hex($key), $it['key']],
        'cards' => [implode(' ', array_slice($cards, 0, 24)), $it['cards']], 'root' => [bin2hex(shoe_root($seed, $cards)), $it['root']],
        'card' => [$cards[$it['place']], $it['card']], 'salt' => [bin2hex(salt($seed, $it['place'])), $it['salt']],
        'path' => [included($leaf, $it['place'], count($cards), array_map(hex2bin(...), $it['path']), hex2bin($it['root'])), true],
        'digest' => [bin2hex(terms_of($it['terms'])), $it['digest']], 'closing' => closed_vector($it, $it['closing'], []),
    ];
}

function drawn_round_vector(array $it): array
{
    $seed = round_seed(hex2bin($it['seed']), $it['number']);
    $key = drawing_key($seed, hex2bin($it['cut']), links($it['witnesses']) . hex2bin($it['link']));
    $out = explode(' ', $it['dealt']);
    return [
        'round_seed' => [bin2hex($seed), $it['round_seed']], 'commitment' => [bin2hex(commitment($seed, $it['table'], $it['shoe'], $it['number'])), $it['commitment']],
        'dealt' => [bin2hex(sha(implode('', $out))), $it['digest_of_dealt']], 'key' => [bin2hex($key), $it['key']],
        'cards' => [implode(' ', shuffled($it['decks'], words($key), 6, $out)), $it['cards']],
    ];
}

function cosignature_vector(array $it): array
{
    $note = note($it['note']);
    [$name, $id, $key] = cosigner($it['cosigner']);
    [$own, $other] = $note['signatures'];
    $bytes = cosigned_bytes($note['text'], unpack('J', $other['signature'])[1]);
    return [
        'text' => [$note['text'], $it['text']], 'head' => [[$note['origin'], $note['size'], bin2hex($note['root'])], [$it['origin'], $it['size'], $it['root']]],
        'log_key_id' => [[bin2hex($own['id']), bin2hex(key_id($note['origin'], NOTE_KEY, hex2bin($it['log_public_key'])))], [$it['log_key_id'], $it['log_key_id']]],
        'signature' => [signed($note['text'], $own['signature'], hex2bin($it['log_public_key'])), true],
        'cosigner' => [[$other['name'], $other['id']], [$name, $id]], 'bytes' => [bin2hex($bytes), $it['cosigned_bytes']],
        'time' => [unpack('J', $other['signature'])[1], $it['time']], 'cosigned' => [signed($bytes, substr($other['signature'], 8), $key), true],
    ];
}

// The command

/** @param array<string, mixed> $verdict */
function told(array $verdict): string
{
    $lines = [];
    foreach ($verdict['checks'] as $name => [$result, $why]) {
        $lines[] = rtrim(sprintf('%-12s %-17s %s', $name, $result, $why));
    }
    $failed = array_filter($verdict['checks'], fn ($check) => $check[0] === 'failed');
    $partly = array_filter($verdict['checks'], fn ($check) => $check[0] === 'not checkable yet');
    $lines[] = match ($verdict['status']) {
        0 => $partly ? 'VERIFIED as far as this file allows' : 'VERIFIED',
        1 => 'FAILED: ' . implode(', ', array_keys($failed)),
        4 => 'FORCED: the cards were chosen, as a test',
        3 => 'NOT VERIFIED: whoever made this file may have made up all of it, or what is required is missing',
        5 => 'NOT COSIGNED: a log with another round would verify as well',
    };
    if ($verdict['as_of'] !== null) {
        $names = implode(', ', array_column($verdict['as_of']['cosigned_by'], 'name')) ?: 'nobody who is trusted';
        array_splice($lines, -1, 0, ["as of checkpoint {$verdict['as_of']['size']}, cosigned by $names"]);
    }
    if ($verdict['could_choose'] !== null) {
        array_splice($lines, -1, 0, ["could have chosen the cards: {$verdict['could_choose']}"]);
    }
    if ($verdict['published'] !== null) {
        array_splice($lines, -1, 0, [$verdict['published'] ? 'rules as published' : 'own rules']);
    }
    array_splice($lines, -1, 0, array_map(fn ($caveat) => "caveat: $caveat", $verdict['caveats']));
    return implode("\n", $lines) . "\n";
}

/** What becomes of each stake of a round, by its spot. @param array<string, mixed> $rules @param array{cards: list<string>, stakes: array<string, int>} $round */
function settled(array $rules, array $round): array
{
    $facts = facts($round['cards']);
    $spots = array_keys($round['stakes']);
    return array_combine($spots, array_map(fn ($spot, $stake) => settle($rules, $spot, $stake, $facts), $spots, $round['stakes']));
}

function readable(string $path): string|false
{
    return is_file($path) && is_readable($path) ? file_get_contents($path) : false;
}

function main(array $arguments): int
{
    $given = ['key' => [], 'witness-key' => [], 'cosigner' => [], 'receipt' => [], 'receipt-key' => [], 'require-signed' => [], 'vectors' => [], 'batch' => [], 'settle' => [], 'file' => []];
    foreach (array_slice($arguments, 1) as $argument) {
        [$name, $value] = preg_match('/^--([a-z-]+)(?:=(.*))?$/Ds', $argument, $part) === 1 ? [$part[1], $part[2] ?? ''] : ['file', $argument];
        if (!isset($given[$name])) {
            echo "UNREADABLE: --$name is unknown\n";
            return 2;
        }
        $given[$name][] = $value;
    }
    if ($given['batch']) {
        $verdicts = [];
        foreach (json_decode(stream_get_contents(STDIN), true, 16, JSON_THROW_ON_ERROR) as $each) {
            $verdicts[] = Verifier::verify($each['file'], $each);
        }
        echo json_encode($verdicts, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE), "\n";
        return 0;
    }
    if ($given['settle']) {
        $all = json_decode(stream_get_contents(STDIN), true, 16, JSON_THROW_ON_ERROR);
        echo json_encode(array_map(fn ($round) => settled($all['rules'], $round), $all['rounds']), JSON_THROW_ON_ERROR), "\n";
        return 0;
    }
    if ($given['vectors']) {
        foreach ($given['vectors'] as $path) {
            $text = file_get_contents($path);
            echo implode("\n", recomputed(json_decode($text, true, 64, JSON_THROW_ON_ERROR), Reader::read($text))), "\n";
        }
        return 0;
    }
    $text = count($given['file']) === 1 ? readable($given['file'][0]) : false;
    $receipts = array_map(readable(...), $given['receipt']);
    if ($text === false || in_array(false, $receipts, true)) {
        echo "UNREADABLE: give one file that can be read\n";
        return 2;
    }
    $verdict = Verifier::verify($text, [
        'keys' => $given['key'], 'witness_keys' => $given['witness-key'], 'receipts' => $receipts, 'receipt_keys' => $given['receipt-key'],
        'cosigners' => $given['cosigner'], 'require_signed' => (bool) $given['require-signed'],
    ]);
    echo told($verdict);
    return $verdict['status'];
}

ini_set('memory_limit', '512M');
set_error_handler(fn (int $level, string $message, string $file, int $line) => throw new ErrorException($message, 0, $level, $file, $line));
exit(main($argv));
