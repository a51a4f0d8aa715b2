package dev.weir.examples.asimov;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * Generates reproducible web traffic. Event {@code i} of a seed is always the same, no matter who requests it and in
 * what order. Immutable, thread-safe.
 *
 * <p>The distribution over sessions is skewed (Zipf). One event in a hundred is malformed, in one of five ways chosen
 * at random. An event's number determines its session and whether it is malformed.
 */
public final class EventGenerator {
    /** Header of each record: the event's number, 8 bytes, big endian. */
    public static final String SEQUENCE_HEADER = "weir-seq";

    /** The result of {@link #sequence} for a record without the header. */
    public static final long NO_SEQUENCE = -1;

    /** The number of sessions. */
    public static final int SESSIONS = 10_000;

    // The busiest session has about 4 % of the traffic, which a single core can handle.
    private static final double ZIPF_EXPONENT = 0.8;

    private static final int ONE_MALFORMED_IN = 100;

    private static final List<Reason> MALFORMED_WAYS = List.of(
            Reason.INVALID_JSON,
            Reason.MISSING_SESSION,
            Reason.INVALID_URL,
            Reason.INVALID_PAYLOAD,
            Reason.UNKNOWN_ENCODING);

    private static final long FIRST_TIMESTAMP_MILLIS = 1_767_225_600_000L; // 2026-01-01

    private static final String[] HOSTS = {
        "www.example.com", "shop.example.com", "example.org:8443", "münchen.example", "例え.example", "NEWS.Example.net"
    };
    private static final String[] PATHS = {
        "/", "/search", "/products/4711", "/blog/2026/über-uns", "/a/../basket", "/カテゴリ/本", "/docs/getting%20started"
    };
    private static final String[] PARAMETERS = {
        "q=blue+suede%20shoes",
        "q=%E3%81%8A%E6%B0%97%E3%81%AB",
        "q=Стакан+воды",
        "filter[price][min]=10&filter[price][max]=250",
        "filter%5Bbrand%5D%5B%5D=acme&filter%5Bbrand%5D%5B%5D=caf%C3%A9",
        "utm_source=news&utm_medium=mail&utm_campaign=spring%2026",
        "next=https%3A%2F%2Fexample.com%2Fcart%3Fid%3D7%26back%3D%252Fhome%253Fa%253D1",
        "page=2",
        "empty=&flag",
        "emoji=%F0%9F%9B%92&raw=🛒"
    };
    private static final String[] DEVICES = {
        device("desktop", "Windows 11", "Firefox 145", 1920, 1080),
        device("desktop", "macOS 26", "Safari 26", 1512, 982),
        device("mobile", "Android 16", "Chrome 142", 412, 915),
        device("mobile", "iOS 26", "Safari 26", 393, 852),
        device("tablet", "iPadOS 26", "Safari 26", 1024, 1366),
        "{\"kind\":\"bot\",\"browser\":\"Googlebot/2.1\"}"
    };

    private final long seed;
    private final PayloadPool payloads;

    /** For each session, its share of the traffic plus the shares of all earlier sessions. */
    private final double[] cumulativeShare = new double[SESSIONS];

    private final String[] sessionIds = new String[SESSIONS];
    private final byte[][] sessionKeys = new byte[SESSIONS][];

    /** Prepares the traffic of {@code seed}: about ten thousand small objects and 512 payloads. */
    public EventGenerator(long seed) {
        this(seed, PayloadPool.MEDIAN_CHARS);
    }

    /**
     * Prepares the traffic of {@code seed}, with larger or smaller payloads.
     *
     * @param medianPayloadChars the median size of the payloads before compression, in characters, from 100 to 50,000;
     *     the other constructor uses 600
     */
    public EventGenerator(long seed, int medianPayloadChars) {
        this.seed = seed;
        this.payloads = new PayloadPool(seed, medianPayloadChars);
        double sum = 0;
        for (int session = 0; session < SESSIONS; session++) {
            sum += StrictMath.pow(session + 1.0, -ZIPF_EXPONENT);
            cumulativeShare[session] = sum;
            // The names have their own random sequence, so a name does not reveal its session's rank.
            sessionIds[session] = "s-%016x".formatted(new Draw(~seed, session).bits());
            sessionKeys[session] = sessionIds[session].getBytes(UTF_8);
        }
        for (int session = 0; session < SESSIONS; session++) {
            cumulativeShare[session] /= sum;
        }
    }

    /** Returns the session of event {@code index}, from 0 to {@link #SESSIONS} - 1; session 0 is the busiest. */
    public int session(long index) {
        return session(new Draw(seed, index));
    }

    /**
     * Returns the key of the records of session number {@code session}. All callers share the array and must not modify
     * it.
     */
    public byte[] key(int session) {
        return sessionKeys[session];
    }

    /** Returns the reason why event {@code index} cannot be translated; empty if it is well-formed. */
    public Optional<Reason> malformed(long index) {
        Draw draw = new Draw(seed, index);
        session(draw);
        return malformed(draw);
    }

    /** Returns the JSON of event {@code index}. */
    public byte[] value(long index) {
        Draw draw = new Draw(seed, index);
        int session = session(draw);
        Reason malformed = malformed(draw).orElse(null);

        StringBuilder head = new StringBuilder(400).append('{');
        if (malformed != Reason.MISSING_SESSION) {
            head.append("\"session\":\"").append(sessionIds[session]).append("\",");
        }
        head.append("\"event\":\"e-").append(index);
        head.append("\",\"seq\":").append(index);
        head.append(",\"timestamp\":").append(FIRST_TIMESTAMP_MILLIS + index);
        head.append(",\"site\":{\"id\":").append(draw.below(100)).append(",\"tags\":[\"a\",null]}");
        head.append(",\"url\":\"");
        url(head, draw, malformed == Reason.INVALID_URL);
        head.append("\",\"device\":").append(draw.of(DEVICES));
        head.append(",\"payload\":");

        int payload = draw.below(PayloadPool.PAYLOADS);
        byte[] value = switch (malformed) {
            case INVALID_PAYLOAD -> joined(head, payloads.truncated(payload));
            case UNKNOWN_ENCODING -> joined(head, "{\"encoding\":\"brotli\",\"data\":\"GwMA\"}".getBytes(UTF_8));
            case null, default -> joined(head, payloads.sound(payload));
        };
        return malformed == Reason.INVALID_JSON ? Arrays.copyOf(value, value.length / 2) : value;
    }

    /**
     * Returns the record of event {@code index}. Its key is the event's session, even if the event is malformed, and
     * {@link #SEQUENCE_HEADER} has its number. The record has no timestamp, because the producer sets one.
     */
    public ProducerRecord<byte[], byte[]> record(String topic, long index) {
        byte[] sequence = ByteBuffer.allocate(Long.BYTES).putLong(index).array();
        Header header = new RecordHeader(SEQUENCE_HEADER, sequence);
        return new ProducerRecord<>(topic, null, key(session(index)), value(index), List.of(header));
    }

    /** Returns the number in {@link #SEQUENCE_HEADER}, or {@link #NO_SEQUENCE}. */
    public static long sequence(Headers headers) {
        Header header = headers.lastHeader(SEQUENCE_HEADER);
        if (header == null || header.value() == null || header.value().length != Long.BYTES) {
            return NO_SEQUENCE;
        }
        return ByteBuffer.wrap(header.value()).getLong();
    }

    // An event's first draw determines its session, and the second one whether it is malformed.

    private int session(Draw draw) {
        int found = Arrays.binarySearch(cumulativeShare, draw.unit());
        return Math.min(found >= 0 ? found + 1 : -found - 1, SESSIONS - 1);
    }

    private static Optional<Reason> malformed(Draw draw) {
        int ticket = draw.below(ONE_MALFORMED_IN * MALFORMED_WAYS.size());
        return ticket < MALFORMED_WAYS.size() ? Optional.of(MALFORMED_WAYS.get(ticket)) : Optional.empty();
    }

    private static void url(StringBuilder out, Draw draw, boolean broken) {
        out.append("https://")
                .append(broken ? "exa mple.com:99999" : draw.of(HOSTS))
                .append(draw.of(PATHS));
        int parameters = draw.below(5);
        for (int i = 0; i < parameters; i++) {
            out.append(i == 0 ? '?' : '&').append(draw.of(PARAMETERS));
        }
        if (draw.below(4) == 0) {
            out.append("#section-").append(draw.below(9));
        }
    }

    private static byte[] joined(StringBuilder head, byte[] payload) {
        byte[] headBytes = head.toString().getBytes(UTF_8);
        byte[] value = Arrays.copyOf(headBytes, headBytes.length + payload.length + 1);
        System.arraycopy(payload, 0, value, headBytes.length, payload.length);
        value[value.length - 1] = '}';
        return value;
    }

    private static String device(String kind, String os, String browser, int width, int height) {
        return "{\"kind\":\"%s\",\"os\":\"%s\",\"browser\":\"%s\",\"screen\":{\"width\":%d,\"height\":%d}}"
                .formatted(kind, os, browser, width, height);
    }
}
