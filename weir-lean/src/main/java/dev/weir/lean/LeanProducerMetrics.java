package dev.weir.lean;

/** A lean producer's counters since it was opened. Immutable. */
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

    private LeanProducerMetrics(Builder from) {
        this.acknowledged = from.acknowledged;
        this.failed = from.failed;
        this.requests = from.requests;
        this.resent = from.resentBatches;
        this.divided = from.dividedBatches;
        this.epochs = from.newEpochs;
        this.throttledMillis = from.throttledMillis;
        this.sentBatches = from.sentBatches;
        this.queuedNanos = from.queuedNanos;
        this.answeredRequests = from.answeredRequests;
        this.answerNanos = from.answerNanos;
        this.freeBytes = from.freeBytes;
    }

    /** Returns a builder in which all counters are 0. */
    public static Builder builder() {
        return new Builder();
    }
    /** The number of records acknowledged. */
    public long acknowledged() {
        return acknowledged;
    }

    /** The number of records given up. */
    public long failed() {
        return failed;
    }

    /** The number of produce requests sent. */
    public long requests() {
        return requests;
    }

    /** The number of batches sent again. */
    public long resentBatches() {
        return resent;
    }

    /** The number of batches split because they were too large for their broker. */
    public long dividedBatches() {
        return divided;
    }

    /** The number of times that a partition was given a new producer epoch and its sequence numbers were restarted. */
    public long newEpochs() {
        return epochs;
    }

    /** The total time in milliseconds for which brokers throttled the producer. */
    public long throttledMillis() {
        return throttledMillis;
    }

    /** The number of batches sent, including retries. */
    public long sentBatches() {
        return sentBatches;
    }

    /**
     * The total time that batches waited before they were sent, in nanoseconds, measured from each batch's first
     * record.
     */
    public long queuedNanos() {
        return queuedNanos;
    }

    /** The number of produce responses received. */
    public long answeredRequests() {
        return answeredRequests;
    }

    /** The total time between sending a produce request and receiving its response. */
    public long answerNanos() {
        return answerNanos;
    }

    /** The number of unused bytes of {@link LeanProducerSettings#bufferBytes}. */
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

    /**
     * Builds {@link LeanProducerMetrics}. Used by the engine, and by tests of code that reads the counters. Not
     * thread-safe.
     */
    public static final class Builder {

        private long acknowledged;
        private long failed;
        private long requests;
        private long resentBatches;
        private long dividedBatches;
        private long newEpochs;
        private long throttledMillis;
        private long sentBatches;
        private long queuedNanos;
        private long answeredRequests;
        private long answerNanos;
        private long freeBytes;

        private Builder() {}

        /** See {@link LeanProducerMetrics#acknowledged()}. */
        public Builder acknowledged(long value) {
            acknowledged = value;
            return this;
        }

        /** See {@link LeanProducerMetrics#failed()}. */
        public Builder failed(long value) {
            failed = value;
            return this;
        }

        /** See {@link LeanProducerMetrics#requests()}. */
        public Builder requests(long value) {
            requests = value;
            return this;
        }

        /** See {@link LeanProducerMetrics#resentBatches()}. */
        public Builder resentBatches(long value) {
            resentBatches = value;
            return this;
        }

        /** See {@link LeanProducerMetrics#dividedBatches()}. */
        public Builder dividedBatches(long value) {
            dividedBatches = value;
            return this;
        }

        /** See {@link LeanProducerMetrics#newEpochs()}. */
        public Builder newEpochs(long value) {
            newEpochs = value;
            return this;
        }

        /** See {@link LeanProducerMetrics#throttledMillis()}. */
        public Builder throttledMillis(long value) {
            throttledMillis = value;
            return this;
        }

        /** See {@link LeanProducerMetrics#sentBatches()}. */
        public Builder sentBatches(long value) {
            sentBatches = value;
            return this;
        }

        /** See {@link LeanProducerMetrics#queuedNanos()}. */
        public Builder queuedNanos(long value) {
            queuedNanos = value;
            return this;
        }

        /** See {@link LeanProducerMetrics#answeredRequests()}. */
        public Builder answeredRequests(long value) {
            answeredRequests = value;
            return this;
        }

        /** See {@link LeanProducerMetrics#answerNanos()}. */
        public Builder answerNanos(long value) {
            answerNanos = value;
            return this;
        }

        /** See {@link LeanProducerMetrics#freeBytes()}. */
        public Builder freeBytes(long value) {
            freeBytes = value;
            return this;
        }

        /** Creates the immutable counters. */
        public LeanProducerMetrics build() {
            return new LeanProducerMetrics(this);
        }
    }
}
