package dev.weir.lean.internal.wire;

import java.nio.ByteBuffer;

/**
 * Iterates over the partitions of a fetch response, versions 13 to 17, in place. Confined to one thread; allocates
 * nothing. Every length is checked against the available bytes before it is used.
 *
 * <pre>
 *   correlation, tags                                             header 1
 *   throttle ms, error (2), session id
 *   number of topics + 1
 *     topic id (16), number of partitions + 1
 *       partition, error (2), high watermark, last stable offset, log start      4, 2, 8, 8, 8 bytes
 *       number of aborted transactions + 1, or 0
 *         producer id (8), first offset (8), tags
 *       preferred replica
 *       number of bytes + 1, or 0; the records
 *       tags: 0 diverging (epoch, end offset, tags), 1 leader (id, epoch, tags), others
 *     tags
 *   tags: 0 endpoints, others
 * </pre>
 */
public final class FetchResponse {

    private static final int DIVERGING = 0;
    private static final int LEADER = 1;
    private static final int NONE = -1;

    /** The value of {@link #topicsLeft} once the complete response has been read. */
    private static final int ENDED = -1;

    /** The smallest size of an aborted transaction. */
    private static final int ABORTED_BYTES = 17;

    private ByteBuffer bytes = ByteBuffer.allocateDirect(0);
    private int at;
    private int end;
    private boolean cut;
    private int topicsLeft;
    private int partitionsLeft;

    private int throttleMillis;
    private short error;
    private int sessionId;

    private long topicIdHigh;
    private long topicIdLow;
    private int partition;
    private short partitionError;
    private long highWatermark;
    private long lastStableOffset;
    private int abortedAt;
    private int abortedCount;
    private int preferredReplica;
    private int recordsAt;
    private int recordsLength;
    private int divergingEpoch;
    private long divergingOffset;
    private int leader;
    private int leaderEpoch;

    /**
     * Starts reading the response between two positions.
     *
     * @param isCut true if the buffer contains only the beginning of the response; the last partition's records may
     * then extend beyond it
     */
    public void wrap(ByteBuffer response, int from, int to, boolean isCut) throws MalformedResponseException {
        bytes = response;
        at = from + Integer.BYTES;
        end = to;
        cut = isCut;
        try {
            skipTags();
            throttleMillis = intNext();
            error = shortNext();
            sessionId = intNext();
            topicsLeft = count();
            partitionsLeft = 0;
        } catch (IndexOutOfBoundsException e) {
            throw malformed();
        }
    }

    /** Moves to the next partition. Returns false if there is none. */
    public boolean next() throws MalformedResponseException {
        try {
            while (partitionsLeft == 0) {
                if (topicsLeft == 0) {
                    topicsLeft = ENDED;
                    skipTags();
                }
                if (topicsLeft == ENDED) {
                    return false;
                }
                topicsLeft--;
                topicIdHigh = longNext();
                topicIdLow = longNext();
                partitionsLeft = count();
                if (partitionsLeft == 0) {
                    skipTags();
                }
            }
            partitionsLeft--;
            readPartition();
            if (isRecordsCut()) {
                topicsLeft = ENDED;
                partitionsLeft = 0;
                return true;
            }
            readPartitionTags();
            if (partitionsLeft == 0) {
                skipTags();
            }
            return true;
        } catch (IndexOutOfBoundsException e) {
            if (cut) {
                return false;
            }
            throw malformed();
        }
    }

    private void readPartition() {
        partition = intNext();
        partitionError = shortNext();
        highWatermark = longNext();
        lastStableOffset = longNext();
        take(Long.BYTES); // the start of the log
        abortedCount = count();
        abortedAt = at;
        if (abortedCount > (end - at) / ABORTED_BYTES) {
            throw new IndexOutOfBoundsException(abortedCount + " aborted transactions");
        }
        for (int i = 0; i < abortedCount; i++) {
            take(2 * Long.BYTES);
            skipTags();
        }
        preferredReplica = intNext();
        recordsLength = count();
        recordsAt = at;
        divergingEpoch = NONE;
        divergingOffset = NONE;
        leader = NONE;
        leaderEpoch = NONE;
        if (!isRecordsCut()) {
            take(recordsLength);
        }
    }

    private void readPartitionTags() {
        for (int tags = count(0); tags > 0; tags--) {
            int tag = number();
            int size = count(0);
            int from = take(size);
            if (tag == DIVERGING && size >= Integer.BYTES + Long.BYTES) {
                divergingEpoch = bytes.getInt(from);
                divergingOffset = bytes.getLong(from + Integer.BYTES);
            } else if (tag == LEADER && size >= 2 * Integer.BYTES) {
                leader = bytes.getInt(from);
                leaderEpoch = bytes.getInt(from + Integer.BYTES);
            }
        }
    }

    private void skipTags() {
        for (int tags = count(0); tags > 0; tags--) {
            number();
            take(count(0));
        }
    }

    /** Moves past this many bytes and returns their start. Checks that they are available. */
    private int take(int size) {
        if (size > end - at) {
            throw new IndexOutOfBoundsException(size + " bytes at " + at);
        }
        int from = at;
        at += size;
        return from;
    }

    private int intNext() {
        return bytes.getInt(take(Integer.BYTES));
    }

    private short shortNext() {
        return bytes.getShort(take(Short.BYTES));
    }

    private long longNext() {
        return bytes.getLong(take(Long.BYTES));
    }

    private int number() {
        long packed = VarInts.unsigned(bytes, at);
        take(VarInts.next(packed) - at);
        return VarInts.value(packed);
    }

    /** Reads a length or count, which is encoded as the number plus one. Returns 0 for null, which is encoded as 0. */
    private int count() {
        return Math.max(0, count(1));
    }

    /**
     * Reads a count that is encoded as the number plus {@code more}. Refuses a count above the number of remaining
     * bytes, unless the response is cut.
     */
    private int count(int more) {
        int number = number();
        if (number < 0 || (number - more > end - at && !cut)) {
            throw new IndexOutOfBoundsException(number + " things at " + at);
        }
        return number - more;
    }

    private MalformedResponseException malformed() {
        return new MalformedResponseException("a fetch response of " + end + " bytes is malformed at byte " + at);
    }

    public int throttleMillis() {
        return throttleMillis;
    }

    /** The top-level error of the response. */
    public short error() {
        return error;
    }

    public int sessionId() {
        return sessionId;
    }

    public long topicIdHigh() {
        return topicIdHigh;
    }

    public long topicIdLow() {
        return topicIdLow;
    }

    public int partition() {
        return partition;
    }

    public short partitionError() {
        return partitionError;
    }

    public long highWatermark() {
        return highWatermark;
    }

    public long lastStableOffset() {
        return lastStableOffset;
    }

    /** The id of a nearer replica; -1 if there is none. */
    public int preferredReplica() {
        return preferredReplica;
    }

    public int recordsAt() {
        return recordsAt;
    }

    /** Size of the records as stated in the response, whether or not all are available. */
    public int recordsLength() {
        return recordsLength;
    }

    /** Returns whether the records end beyond the buffer. */
    public boolean isRecordsCut() {
        return cut && recordsLength > end - recordsAt;
    }

    /** Returns whether the log differs from the records read before; see {@link #divergingOffset}. */
    public boolean isDiverging() {
        return divergingOffset >= 0;
    }

    public int divergingEpoch() {
        return divergingEpoch;
    }

    /** End offset of the last epoch in which the logs agree; -1 if they do not differ. */
    public long divergingOffset() {
        return divergingOffset;
    }

    /** Leader named by a broker that returned an error; -1 if it named none. */
    public int leader() {
        return leader;
    }

    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** Copies the current partition's aborted transactions. */
    public void abortedTo(AbortedTransactions target) {
        target.clear();
        int from = abortedAt;
        for (int i = 0; i < abortedCount; i++) {
            target.add(bytes.getLong(from), bytes.getLong(from + Long.BYTES));
            from += 2 * Long.BYTES;
            from = afterTags(from);
        }
    }

    private int afterTags(int from) {
        if (bytes.get(from) == 0) {
            return from + 1;
        }
        int keep = at;
        at = from;
        skipTags();
        int after = at;
        at = keep;
        return after;
    }
}
