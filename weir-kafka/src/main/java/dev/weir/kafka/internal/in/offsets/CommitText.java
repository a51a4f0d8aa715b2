package dev.weir.kafka.internal.in.offsets;

import dev.weir.stream.spi.Thrown;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a commit: {@code weir1:<notes><finished set>:<the user's text>}. Empty if there is nothing to store.
 * Immutable. ADR 0013 describes the format.
 *
 * <p>A note ends with a dot. {@code n<number>.} is the start size, the number of partitions that the topic had when the
 * group began to read it (ADR 0058). {@code t<id><checksum>.} is the topic id (ADR 0057).
 *
 * @param finished the finished offsets at or after the committed offset
 * @param userText the text returned by the user's function
 */
public record CommitText(FinishedSet finished, String userText) {

    /** Maximum number of runs of consecutive offsets to encode. */
    public static final int MAX_RUNS = 16_384;

    private static final String PREFIX = "weir1:";

    /** Number of characters for the prefix and the separator. */
    public static final int OVERHEAD_CHARS = PREFIX.length() + 1;

    /** Returned by {@link #startSize} if the metadata contains no start size. */
    public static final int NO_SIZE = -1;

    /** Maximum length of metadata that contains only a start size. */
    public static final int SIZE_CHARS = OVERHEAD_CHARS + 12;

    private static final char SIZE_MARK = 'n';

    private static final char TOPIC_MARK = 't';

    /** Ends each note. It is not a Base64 character. */
    private static final char NOTE_END = '.';

    private static final int ID_CHARS = 22;

    private static final int CHECKSUM_CHARS = 6;

    private static final int TOPIC_CHARS = 2 + ID_CHARS + CHECKSUM_CHARS;

    /** Maximum length of metadata that contains only a topic id and a start size. */
    public static final int NOTES_CHARS = SIZE_CHARS + TOPIC_CHARS;

    private static final String BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    private static final Base64.Encoder TO_TEXT = Base64.getUrlEncoder().withoutPadding();

    private static final byte[] NO_BYTES = {};
    private static final CommitText NONE = new CommitText(FinishedSet.EMPTY, "");
    private static final int HEADER_BYTES = 5;
    private static final byte PLAIN = 0;
    private static final byte DEFLATED = 1;
    /** Maximum encoded size of all runs. A run consists of two varints of at most ten bytes. */
    private static final int MAX_RUN_BYTES = 20 * MAX_RUNS;

    /** Maximum size of a set that is not compressed. */
    private static final int SMALL_BYTES = 256;

    /**
     * Encodes the metadata of a commit, with as many finished runs as fit.
     *
     * @param committed the committed offset
     * @param maxChars the broker's limit
     * @return the metadata, empty if {@code userText} alone is too long
     */
    public static String encode(long committed, FinishedSet finished, String userText, int maxChars) {
        int chars = maxChars - OVERHEAD_CHARS - userText.length();
        if (chars < 0) {
            return "";
        }
        // Base64 encodes three bytes as four characters.
        int room = chars / 4 * 3;
        int runs = Math.min(finished.runs(), MAX_RUNS);
        byte[] set = NO_BYTES;
        while (runs > 0) {
            set = payload(committed, finished, runs);
            if (set.length <= room) {
                break;
            }
            runs = (int) ((long) runs * room / set.length);
        }
        if (runs == 0) {
            return userText.isEmpty() ? "" : PREFIX + ":" + userText;
        }
        return PREFIX + TO_TEXT.encodeToString(set) + ":" + userText;
    }

    /**
     * Adds a note with the start size. Returns {@code metadata} unchanged if the size is {@link #NO_SIZE} or the note
     * does not fit.
     */
    public static String withStartSize(String metadata, int size, int maxChars) {
        if (size < 0) {
            return metadata;
        }
        String rest = metadata.isEmpty() ? ":" : metadata.substring(PREFIX.length());
        String noted = PREFIX + SIZE_MARK + size + NOTE_END + rest;
        return noted.length() <= maxChars ? noted : metadata;
    }

    /** Returns the start size in the metadata, or {@link #NO_SIZE} if it contains none. */
    public static int startSize(String metadata) {
        int at = PREFIX.length();
        int end = metadata.indexOf(NOTE_END);
        if (!metadata.startsWith(PREFIX)
                || end < 0
                || metadata.charAt(at) != SIZE_MARK
                || metadata.indexOf(':', at) < end) {
            return NO_SIZE;
        }
        try {
            return Integer.parseInt(metadata, at + 1, end, 10);
        } catch (NumberFormatException foreign) {
            return NO_SIZE;
        }
    }

    /**
     * Returns how many characters {@link #encode} may use if a topic id is added. Returns {@code maxChars} if the topic
     * id does not fit.
     */
    public static int roomBesideTopicId(int maxChars) {
        return maxChars < OVERHEAD_CHARS + TOPIC_CHARS ? maxChars : maxChars - TOPIC_CHARS;
    }

    /** Adds a note with the topic id. Returns {@code metadata} unchanged if the id is null or the note does not fit. */
    public static String withTopicId(String metadata, @Nullable Uuid id, long committed, int maxChars) {
        return withTopicId(metadata, id == null ? null : id.toString(), committed, maxChars);
    }

    /** Does the same as {@link #withTopicId(String, Uuid, long, int)}, but takes the id as a string. */
    public static String withTopicId(String metadata, @Nullable String id, long committed, int maxChars) {
        if (id == null || maxChars < OVERHEAD_CHARS + TOPIC_CHARS) {
            return metadata;
        }
        String rest = metadata.isEmpty() ? ":" : metadata.substring(PREFIX.length());
        return PREFIX + TOPIC_MARK + id + topicChecksum(id, committed) + NOTE_END + rest;
    }

    /**
     * Returns metadata that contains only a topic id and a start size. Runs for every commit of every partition.
     *
     * @param scratch a temporary buffer of at least {@link #NOTES_CHARS} bytes
     */
    public static String notes(String id, int size, long committed, int maxChars, byte[] scratch) {
        int length = OVERHEAD_CHARS + TOPIC_CHARS + (size < 0 ? 0 : 2 + digits(size));
        if (length > maxChars || id.length() != ID_CHARS) {
            return withStartSize(withTopicId("", id, committed, maxChars), size, maxChars);
        }
        // Writes backwards into one array. A StringBuilder would allocate several times as much.
        int at = scratch.length;
        scratch[--at] = ':';
        scratch[--at] = NOTE_END;
        CRC32C crc = new CRC32C();
        for (int shift = Long.SIZE - Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            crc.update((int) (committed >>> shift));
        }
        for (int i = 0; i < ID_CHARS; i++) {
            crc.update(id.charAt(i));
        }
        long bits = crc.getValue() << 4; // pads the 32-bit checksum to the 36 bits of six Base64 characters
        for (int i = 0; i < CHECKSUM_CHARS; i++) {
            scratch[--at] = (byte) BASE64.charAt((int) (bits >>> (6 * i)) & 0x3F);
        }
        for (int i = ID_CHARS - 1; i >= 0; i--) {
            scratch[--at] = (byte) id.charAt(i);
        }
        scratch[--at] = TOPIC_MARK;
        if (size >= 0) {
            scratch[--at] = NOTE_END;
            int left = size;
            do {
                scratch[--at] = (byte) ('0' + left % 10);
                left /= 10;
            } while (left > 0);
            scratch[--at] = SIZE_MARK;
        }
        for (int i = PREFIX.length() - 1; i >= 0; i--) {
            scratch[--at] = (byte) PREFIX.charAt(i);
        }
        return new String(scratch, at, length, StandardCharsets.ISO_8859_1);
    }

    private static int digits(int number) {
        int digits = 1;
        for (int left = number / 10; left > 0; left /= 10) {
            digits++;
        }
        return digits;
    }

    /** Returns the topic id in the metadata; null if the metadata contains none or was written for another offset. */
    public static @Nullable Uuid topicId(long committed, String metadata) {
        int end = metadata.indexOf(':', PREFIX.length());
        if (!metadata.startsWith(PREFIX) || end < 0) {
            return null;
        }
        for (int at = PREFIX.length(); at < end; at = metadata.indexOf(NOTE_END, at) + 1) {
            int noteEnd = metadata.indexOf(NOTE_END, at);
            if (noteEnd < 0 || noteEnd > end) {
                return null;
            }
            if (metadata.charAt(at) == TOPIC_MARK && noteEnd - at == TOPIC_CHARS - 1) {
                String id = metadata.substring(at + 1, at + 1 + ID_CHARS);
                boolean isOfThisOffset =
                        metadata.substring(at + 1 + ID_CHARS, noteEnd).equals(topicChecksum(id, committed));
                return isOfThisOffset ? uuid(id) : null;
            }
        }
        return null;
    }

    private static @Nullable Uuid uuid(String id) {
        try {
            return Uuid.fromString(id);
        } catch (IllegalArgumentException damaged) {
            return null;
        }
    }

    private static String topicChecksum(String id, long committed) {
        int checksum = checksum(committed, id.getBytes(StandardCharsets.US_ASCII));
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES).putInt(checksum).array();
        return TO_TEXT.encodeToString(bytes);
    }

    /**
     * Decodes metadata that {@link #encode} wrote for this offset.
     *
     * @throws IllegalArgumentException if the metadata was not written by {@link #encode} for this offset; the message
     *     gives the reason
     */
    public static CommitText decode(long committed, String metadata) {
        if (metadata.isEmpty()) {
            return NONE;
        }
        if (!metadata.startsWith(PREFIX)) {
            throw new IllegalArgumentException("it was not written by Weir, or by another version");
        }
        int end = metadata.indexOf(':', PREFIX.length());
        if (end < 0) {
            throw new IllegalArgumentException("it is cut off");
        }
        String noted = metadata.substring(PREFIX.length(), end);
        String set = noted.substring(noted.lastIndexOf(NOTE_END) + 1);
        return new CommitText(
                set.isEmpty()
                        ? FinishedSet.EMPTY
                        : finished(committed, Base64.getUrlDecoder().decode(set)),
                metadata.substring(end + 1));
    }

    /** Returns the encoded finished set in the metadata. */
    public static String setOf(String metadata) {
        return metadata.isEmpty() ? "" : metadata.substring(PREFIX.length(), metadata.indexOf(':', PREFIX.length()));
    }

    private static byte[] payload(long committed, FinishedSet finished, int runs) {
        byte[] plain = runLengths(committed, finished, runs);
        byte[] packed = plain.length <= SMALL_BYTES ? plain : deflate(plain);
        boolean isSmaller = packed.length < plain.length;
        byte[] body = isSmaller ? packed : plain;
        return ByteBuffer.allocate(HEADER_BYTES + body.length)
                .put(isSmaller ? DEFLATED : PLAIN)
                .putInt(checksum(committed, plain))
                .put(body)
                .array();
    }

    private static byte[] runLengths(long committed, FinishedSet finished, int runs) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(2 * runs);
        long at = committed;
        for (int run = 0; run < runs; run++) {
            writeVarint(bytes, finished.from(run) - at);
            at = finished.to(run);
            writeVarint(bytes, at - finished.from(run));
        }
        return bytes.toByteArray();
    }

    private static void writeVarint(ByteArrayOutputStream bytes, long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes.write((int) (rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        bytes.write((int) rest);
    }

    private static FinishedSet finished(long committed, byte[] payload) {
        if (payload.length <= HEADER_BYTES) {
            throw new IllegalArgumentException("it is cut off");
        }
        ByteBuffer header = ByteBuffer.wrap(payload);
        byte form = header.get();
        int checksum = header.getInt();
        byte[] body = Arrays.copyOfRange(payload, HEADER_BYTES, payload.length);
        byte[] plain = switch (form) {
            case PLAIN -> body;
            case DEFLATED -> inflate(body);
            default -> throw new IllegalArgumentException("its form is not known: " + form);
        };
        if (checksum(committed, plain) != checksum) {
            throw new IllegalArgumentException("its checksum is wrong, or it belongs to another offset");
        }
        FinishedSet.Builder finished = new FinishedSet.Builder();
        ByteBuffer lengths = ByteBuffer.wrap(plain);
        long at = committed;
        while (lengths.hasRemaining()) {
            // add() rejects the run if this sum overflows.
            long from = at + readVarint(lengths);
            at = from + readVarint(lengths);
            finished.add(from, at);
        }
        return finished.build();
    }

    private static long readVarint(ByteBuffer bytes) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE && bytes.hasRemaining(); shift += 7) {
            byte next = bytes.get();
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a run is cut off");
    }

    private static int checksum(long committed, byte[] plain) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, committed));
        crc.update(plain, 0, plain.length);
        return (int) crc.getValue();
    }

    private static byte[] deflate(byte[] plain) {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
        try {
            deflater.setStrategy(Deflater.HUFFMAN_ONLY);
            deflater.setInput(plain);
            deflater.finish();
            byte[] packed = new byte[plain.length];
            int length = 0;
            // The first call of deflate() only sets the strategy and may produce no output.
            while (!deflater.finished() && length < packed.length) {
                length += deflater.deflate(packed, length, packed.length - length);
            }
            // Compression did not finish within the original length: keep the original.
            return deflater.finished() ? Arrays.copyOf(packed, length) : plain;
        } finally {
            deflater.end();
        }
    }

    private static byte[] inflate(byte[] packed) {
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(packed);
            byte[] plain = new byte[MAX_RUN_BYTES];
            int length = inflater.inflate(plain);
            if (!inflater.finished()) {
                throw new IllegalArgumentException("it does not end");
            }
            return Arrays.copyOf(plain, length);
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("it cannot be inflated: " + Thrown.reason(e), e);
        } finally {
            inflater.end();
        }
    }
}
