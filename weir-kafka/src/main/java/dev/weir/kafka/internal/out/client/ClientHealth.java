package dev.weir.kafka.internal.out.client;

import dev.weir.kafka.KafkaPipelineException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * Detects from outside whether a Kafka client can still answer. Two faults are silent. First, a client splits a batch
 * that is too large for its topic by {@code batch.size}; if the topic's limit is lower, or a single record exceeds it,
 * the split gives the same batch again, without end. Second, after an {@link Error} its thread is dead. Confined to the
 * watching thread; one for each sequence of answers, and so for each transaction.
 */
public final class ClientHealth {

    /** The message of a run that fails because of endless splits. */
    public static final String ENDLESS = "the brokers refuse a batch as too large, and the client splits it without"
            + " end: a record is larger than max.message.bytes of its topic, or batch.size is: raise the"
            + " first or lower the second";

    /**
     * Number of batch splits without an answer that counts as endless. The client is stopped long before its thread
     * dies of it: each split makes its {@code FutureRecordMetadata.chain} one call deeper.
     */
    private static final double MANY_SPLITS = 1_000;

    /** Such a limit once there has been no answer for {@link #LONG_NANOS}. */
    private static final double SOME_SPLITS = 100;

    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The result of a check. */
    public enum Found {
        /** It answers, or still may. */
        WELL,
        /** It splits batches without end. */
        SPLITS,
        /** Its thread is dead. */
        DEAD,
        /** It has records without an answer although the brokers could give one; see {@link ClientProgress}. */
        STUCK,
        /** It was asked to close, but its thread neither ends nor fails its unanswered records. */
        HANGS
    }

    /** The failure of records held by a dead client. */
    public static final String DEAD =
            "the thread of the producer has ended and leaves records without an answer: the log has" + " its exception";

    /** The failure of records held by a hanging client. */
    static final String HANGS = "the producer was closed, and its thread hangs and leaves records without an"
            + " answer: look for what blocks it in an interceptor, a serializer, a login or a callback";

    /** Time for a closing client to fail its unanswered records. */
    private static final long HANGS_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final boolean shared;

    /** The time of the first check of a closing client; unused before. */
    private long closingNanos;

    private boolean seenClosing;

    /** The thread's activity when it was found to hang. */
    private String hangsIn = "";

    private long answersSeen = -1;
    private double splitsAtAnswer;
    private long answerNanos;
    private boolean seenDead;

    /**
     * Creates a health without history.
     *
     * @param shared whether others use the client: their records may be split while the brokers of these are away
     */
    public ClientHealth(boolean shared) {
        this.shared = shared;
    }

    /** The failure of a run, or null, since a stuck client can be replaced. */
    public @Nullable KafkaPipelineException failure(Found found) {
        return switch (found) {
            case WELL, STUCK -> null;
            case SPLITS -> new KafkaPipelineException(ENDLESS);
            case DEAD ->
                new KafkaPipelineException(DEAD + "; what is not acknowledged is written again after a restart");
            case HANGS -> hangs(hangsIn);
        };
    }

    /** The failure of a run whose client hangs while closing. */
    public static KafkaPipelineException hangs(ClientThread thread) {
        return hangs(thread.describe());
    }

    private static KafkaPipelineException hangs(String place) {
        return new KafkaPipelineException(HANGS + (place.isEmpty() ? "" : ", now " + place)
                + "; what is not acknowledged is written again after a restart");
    }

    /**
     * Checks the client; call it several times a second.
     *
     * @param answered number of answers so far
     * @param unanswered number of records without an answer
     * @param awaited whether something other than these answers is awaited
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
        seenDead = dead; // counts when seen twice: the last answers before a thread's end may just be arriving
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
