package dev.weir.lean.internal.wire;

import dev.weir.lean.LeanSettings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Writes fetch requests, versions 13 to 17, without allocating. Copies the constant beginning and end of a request from
 * templates. Confined to one thread.
 *
 * <pre>
 *   size, key = 1, version, correlation, client id, tags         header 2
 *   replica = -1                                                  until version 14
 *   max wait, min bytes, max bytes, isolation                     --- until here a template ---
 *   session id, session epoch
 *   number of topics + 1
 *     topic id (16), number of partitions + 1
 *       partition, leader epoch, offset, last epoch, log start = -1, max bytes, tags = 0      33 bytes
 *     tags
 *   number of forgotten topics + 1
 *     topic id (16), number of partitions + 1, partitions, tags
 *   rack, tags                                                    --- another template ---
 * </pre>
 */
public final class FetchRequest {

    public static final short KEY = 1;
    public static final short MIN_VERSION = 13;
    public static final short MAX_VERSION = 17;

    /** Upper bound of the encoded size of a fetched or forgotten partition, including its topic's fields. */
    public static final int PARTITION_BYTES = 64;

    private static final short LAST_WITH_REPLICA = 14;
    private static final int SIZE_BYTES = 4;
    private static final int VERSION_AT = 6;
    private static final int CORRELATION_AT = 8;
    private static final int NO_REPLICA = -1;
    private static final long NO_LOG_START = -1;

    private final byte[] head;
    private final byte[] fetchParameters;
    private final byte[] tail;
    private final byte[] tailWithoutRack;
    private final int maxPartitionBytes;

    public FetchRequest(LeanSettings settings, String clientId, String rack) {
        byte[] id = clientId.getBytes(StandardCharsets.UTF_8);
        head = ByteBuffer.allocate(CORRELATION_AT + Integer.BYTES + Short.BYTES + id.length + 1)
                .putInt(0)
                .putShort(KEY)
                .putShort((short) 0)
                .putInt(0)
                .putShort((short) id.length)
                .put(id)
                .put((byte) 0)
                .array();
        fetchParameters = ByteBuffer.allocate(3 * Integer.BYTES + 1)
                .putInt((int) settings.maxFetchWait().toMillis())
                .putInt(settings.minFetchBytes())
                .putInt(settings.maxFetchBytes())
                .put((byte) (settings.readCommitted() ? 1 : 0))
                .array();
        tail = tail(rack);
        tailWithoutRack = tail("");
        maxPartitionBytes = settings.maxPartitionBytes();
    }

    private static byte[] tail(String rack) {
        byte[] place = rack.getBytes(StandardCharsets.UTF_8);
        ByteBuffer end = ByteBuffer.allocate(VarInts.MAX_BYTES + place.length + 1);
        VarInts.putUnsigned(end, place.length + 1);
        end.put(place).put((byte) 0).flip();
        byte[] bytes = new byte[end.limit()];
        end.get(bytes);
        return bytes;
    }

    /** Returns the maximum size of a request with this many fetched and forgotten partitions in total. */
    public int sizeFor(int partitions) {
        return head.length + fetchParameters.length + tail.length + PARTITION_BYTES * (partitions + 1);
    }

    /** Starts a request at position 0 of a buffer with at least {@link #sizeFor} bytes. */
    public void begin(ByteBuffer out, short version, int correlation, int sessionId, int sessionEpoch) {
        out.clear().put(head).putShort(VERSION_AT, version).putInt(CORRELATION_AT, correlation);
        if (version <= LAST_WITH_REPLICA) {
            out.putInt(NO_REPLICA);
        }
        out.put(fetchParameters).putInt(sessionId).putInt(sessionEpoch);
    }

    /** Starts a list of the given number of topics. */
    public static void topics(ByteBuffer out, int count) {
        VarInts.putUnsigned(out, count + 1);
    }

    /** Starts a topic with the given number of partitions. */
    public static void topic(ByteBuffer out, long idHigh, long idLow, int partitions) {
        out.putLong(idHigh).putLong(idLow);
        VarInts.putUnsigned(out, partitions + 1);
    }

    /** Adds a partition to the list of partitions to fetch. */
    public void partition(ByteBuffer out, int partition, int leaderEpoch, long offset, int lastEpoch) {
        out.putInt(partition)
                .putInt(leaderEpoch)
                .putLong(offset)
                .putInt(lastEpoch)
                .putLong(NO_LOG_START)
                .putInt(maxPartitionBytes)
                .put((byte) 0);
    }

    /** Adds a partition to the list of forgotten partitions. */
    public static void forgotten(ByteBuffer out, int partition) {
        out.putInt(partition);
    }

    public static void endTopic(ByteBuffer out) {
        out.put((byte) 0);
    }

    /**
     * Completes the request and flips the buffer.
     *
     * @param withRack true to send the client's rack, so that the broker may name a nearer replica
     */
    public void end(ByteBuffer out, boolean withRack) {
        out.put(withRack ? tail : tailWithoutRack)
                .putInt(0, out.position() - SIZE_BYTES)
                .flip();
    }
}
