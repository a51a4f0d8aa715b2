package dev.weir.kafka.internal.out.client;

import dev.weir.kafka.KafkaPipelineException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * Detects from outside whether a Kafka client can still complete records, because the client itself does not report two
 * kinds of failure. First, a client splits a batch that is too large for its topic into batches of {@code batch.size}.
 * If the topic's limit is lower, or if a single record exceeds it, each split produces the same batch again, and the
 * client repeats this forever. Second, an {@link Error} may have killed the client's thread. Confined to the monitoring
 * thread. Each instance observes the acknowledgements of one producer or of one transaction.
 */
public final class ClientHealth {

    /** The failure message of a run whose client splits a batch endlessly. */
    public static final String ENDLESS = "the brokers refuse a batch as too large, and the client splits it without"
            + " end: a record is larger than max.message.bytes of its topic, or batch.size is: raise the"
            + " first or lower the second";

    /**
     * If a client splits this many batches without any acknowledgement, it is considered to be splitting endlessly.
     * Each split makes the client's {@code FutureRecordMetadata.chain} one call deeper. This limit is far below the
     * depth that kills the client's thread.
     */
    private static final double MANY_SPLITS = 1_000;

    /** The limit that replaces {@link #MANY_SPLITS} once there has been no acknowledgement for {@link #LONG_NANOS}. */
    private static final double SOME_SPLITS = 100;

    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The state of the client. */
    public enum Found {
        /** The client completes records, or no problem has been detected so far. */
        WELL,
        /** The client splits a batch endlessly. */
        SPLITS,
        /** The client's thread is dead. */
        DEAD,
        /**
         * The client has unacknowledged records although the brokers could acknowledge them; see
         * {@link ClientProgress}.
         */
        STUCK,
        /** The client was asked to close, but its thread neither ends nor fails the unacknowledged records. */
        HANGS
    }

    /** The failure message for a client whose thread has died. */
    public static final String DEAD =
            "the thread of the producer has ended and leaves records without an answer: the log has" + " its exception";

    /** The failure message for a client that hangs while closing. */
    static final String HANGS = "the producer was closed, and its thread hangs and leaves records without an"
            + " answer: look for what blocks it in an interceptor, a serializer, a login or a callback";

    /** The time within which a closing client must fail its unacknowledged records. */
    private static final long HANGS_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final boolean shared;

    /** The time of the first check after the client began to close. */
    private long closingNanos;

    private boolean seenClosing;

    /** A description of the client's thread when it was found to hang. */
    private String hangsIn = "";

    private long answersSeen = -1;
    private double splitsAtAnswer;
    private long answerNanos;
    private boolean seenDead;

    /**
     * Creates an instance that has not checked the client yet.
     *
     * @param shared whether other writers use the same client. If so, {@link #SOME_SPLITS} does not apply, because
     *     their records may cause the splits while the brokers of this writer's records are down
     */
    public ClientHealth(boolean shared) {
        this.shared = shared;
    }

    /**
     * Returns the failure that must end the run; null if the client is healthy, or if it is stuck and can therefore be
     * replaced.
     */
    public @Nullable KafkaPipelineException failure(Found found) {
        return switch (found) {
            case WELL, STUCK -> null;
            case SPLITS -> new KafkaPipelineException(ENDLESS);
            case DEAD ->
                new KafkaPipelineException(DEAD + "; what is not acknowledged is written again after a restart");
            case HANGS -> hangs(hangsIn);
        };
    }

    /** Returns the failure of a run whose client hangs while closing. */
    public static KafkaPipelineException hangs(ClientThread thread) {
        return hangs(thread.describe());
    }

    private static KafkaPipelineException hangs(String place) {
        return new KafkaPipelineException(HANGS + (place.isEmpty() ? "" : ", now " + place)
                + "; what is not acknowledged is written again after a restart");
    }

    /**
     * Checks the client. Must be called several times a second.
     *
     * @param answered the number of records completed so far
     * @param unanswered the number of records not yet completed
     * @param awaited whether the caller is waiting for anything besides these records, such as a commit
     */
    public Found look(
            Producer<?, ?> client,
            ClientThread thread,
            long answered,
            long unanswered,
            boolean awaited,
            long nowNanos) {
        if (thread.isClosing()) {
            return lookAtClosing(thread, unanswered > 0 || awaited, nowNanos);
        }
        seenClosing = false;
        double splits = splits(client);
        boolean dead = thread.isDead() && (unanswered > 0 || awaited);
        Found found = Found.WELL;
        if (answered != answersSeen) {
            answersSeen = answered;
            splitsAtAnswer = splits;
            answerNanos = nowNanos;
        } else if (dead && seenDead) {
            found = Found.DEAD;
        } else if (unanswered > 0 && isEndless(splits - splitsAtAnswer, nowNanos - answerNanos)) {
            found = Found.SPLITS;
        }
        seenDead = dead; // reported only by the next check, because the last acknowledgements may still be arriving
        return found;
    }

    private Found lookAtClosing(ClientThread thread, boolean waits, long nowNanos) {
        if (!seenClosing || !waits) {
            seenClosing = true;
            closingNanos = nowNanos;
        }
        seenDead = false;
        if (nowNanos - closingNanos < HANGS_NANOS) {
            return Found.WELL;
        }
        hangsIn = thread.describe();
        return Found.HANGS;
    }

    private boolean isEndless(double splits, long nanos) {
        return splits >= MANY_SPLITS || (!shared && splits >= SOME_SPLITS && nanos >= LONG_NANOS);
    }

    private static double splits(Producer<?, ?> client) {
        for (Map.Entry<MetricName, ? extends Metric> metric : client.metrics().entrySet()) {
            if (metric.getKey().name().equals("batch-split-total")
                    && metric.getValue().metricValue() instanceof Double total) {
                return total;
            }
        }
        return 0;
    }
}
