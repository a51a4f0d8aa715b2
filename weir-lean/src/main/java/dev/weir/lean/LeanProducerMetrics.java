package dev.weir.lean;

/** The counters of a lean producer. Immutable. */
public final class LeanProducerMetrics {

    private final long acknowledged;
    private final long failed;
    private final long requests;
    private final long resent;
    private final long divided;
    private final long epochs;
    private final long throttledMillis;
    private final long sentBatches;
    private final long queuedNanos;
    private final long answeredRequests;
    private final long answerNanos;
    private final long freeBytes;

    /** Created by the producer. */
    public LeanProducerMetrics(
            long acknowledged,
            long failed,
            long requests,
            long resent,
            long divided,
            long epochs,
            long throttledMillis,
            long sentBatches,
            long queuedNanos,
            long answeredRequests,
            long answerNanos,
            long freeBytes) {
        this.acknowledged = acknowledged;
        this.failed = failed;
        this.requests = requests;
        this.resent = resent;
        this.divided = divided;
        this.epochs = epochs;
        this.throttledMillis = throttledMillis;
        this.sentBatches = sentBatches;
        this.queuedNanos = queuedNanos;
        this.answeredRequests = answeredRequests;
        this.answerNanos = answerNanos;
        this.freeBytes = freeBytes;
    }

    /** Records acknowledged. */
    public long acknowledged() {
        return acknowledged;
    }

    /** Records given up. */
    public long failed() {
        return failed;
    }

    /** Produce requests sent. */
    public long requests() {
        return requests;
    }

    /** Batches retried. */
    public long resentBatches() {
        return resent;
    }

    /** Batches that were too large for their broker and were split. */
    public long dividedBatches() {
        return divided;
    }

    /** The number of times that a partition's sequence numbers were restarted. */
    public long newEpochs() {
        return epochs;
    }

    /** The time for which brokers throttled the client. */
    public long throttledMillis() {
        return throttledMillis;
    }

    /** Batches sent, including retries. */
    public long sentBatches() {
        return sentBatches;
    }

    /** The total time between the first record of those batches and their sending. */
    public long queuedNanos() {
        return queuedNanos;
    }

    /** Produce requests answered. */
    public long answeredRequests() {
        return answeredRequests;
    }

    /** The total time until those answers. */
    public long answerNanos() {
        return answerNanos;
    }

    /** Free bytes of {@link LeanProducerSettings#bufferBytes}. */
    public long freeBytes() {
        return freeBytes;
    }

    @Override
    public String toString() {
        return "acknowledged=" + acknowledged + " failed=" + failed + " requests=" + requests + " resentBatches="
                + resent + " dividedBatches=" + divided + " newEpochs=" + epochs + " throttledMillis="
                + throttledMillis + " sentBatches=" + sentBatches + " queuedNanos=" + queuedNanos
                + " answeredRequests=" + answeredRequests + " answerNanos=" + answerNanos + " freeBytes="
                + freeBytes;
    }
}
