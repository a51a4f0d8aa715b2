package dev.weir.kafka.internal.out.client;

import dev.weir.kafka.KafkaPipelineException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * Checks from outside whether a Kafka client can still complete records. The client reports neither that its thread has
 * died nor that it splits a batch endlessly. Confined to the monitoring thread. Each instance observes the
 * acknowledgements of one producer or of one transaction.
 */
public final class ClientHealth {

    /** The failure message of a run whose client splits a batch endlessly. */
    public static final String ENDLESS = "the brokers refuse a batch as too large, and the client splits it without"
            + " end: a record is larger than max.message.bytes of its topic, or batch.size is: raise the"
            + " first or lower the second";

    /** The number of splits without an acknowledgement that counts as endless. */
    private static final double MANY_SPLITS = 1_000;

    /** The limit that replaces {@link #MANY_SPLITS} after {@link #LONG_NANOS} without an acknowledgement. */
    private static final double SOME_SPLITS = 100;

    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The state of the client. */
    public enum Found {
        /** No problem has been detected. */
        WELL,
        /** The client splits a batch endlessly. */
        SPLITS,
        /** The client's thread is dead. */
        DEAD,
        /** The client makes no progress although the brokers are available; see {@link ClientProgress}. */
        STUCK,
        /** The client was asked to close, but its thread does not end and leaves records incomplete. */
        HANGS
    }

    /** The failure message for a client whose thread has died. */
    public static final String DEAD =
            "the thread of the producer has ended and leaves records without an answer: the log has" + " its exception";

    static final String HANGS = "the producer was closed, and its thread hangs and leaves records without an"
            + " answer: look for what blocks it in an interceptor, a serializer, a login or a callback";

    /** The time for a closing client to fail its unacknowledged records. */
    private static final long HANGS_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final boolean shared;

    /** The time of the first check after the client began to close. */
    private long closingNanos;

    private boolean seenClosing;

    private String hangsIn = "";

    private long answersSeen = -1;
    private double splitsAtAnswer;
    private long answerNanos;
    private boolean seenDead;

    /**
     * Creates a check.
     *
     * @param shared whether other writers use the same client; {@link #SOME_SPLITS} then does not apply
     */
    public ClientHealth(boolean shared) {
        this.shared = shared;
    }

    /** Returns the failure that ends the run, or null if the run can continue. A stuck client can be replaced. */
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
     * @param awaited whether the caller also waits for something else, such as a commit
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
        seenDead = dead; // the last acknowledgements may still arrive before the next check
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
