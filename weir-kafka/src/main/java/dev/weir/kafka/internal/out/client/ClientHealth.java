package dev.weir.kafka.internal.out.client;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.internal.out.client.ClientProgress.StuckException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.jspecify.annotations.Nullable;

/**
 * Decides from outside whether a client of Kafka's can still answer. It splits a batch without end that is too large
 * for its topic: it splits by {@code batch.size}, which gives the same batch again if a topic takes less, or one of its
 * records is too large. And after an {@link Error} its thread is dead, which it tells nobody. Confined to the thread
 * that looks; one for each sequence of answers, and so for each transaction.
 */
public final class ClientHealth {

    /** The message of a run that fails for the first of both. */
    public static final String ENDLESS = "the brokers refuse a batch as too large, and the client splits it without"
            + " end: a record is larger than max.message.bytes of its topic, or batch.size is: raise the"
            + " first or lower the second";

    /**
     * Batches that the client has split without any answer meanwhile: it splits without end. It is stopped long before
     * the thread of Kafka's client dies of it: each split makes its {@code FutureRecordMetadata.chain} one call deeper.
     */
    private static final double MANY_SPLITS = 1_000;

    /** The same, if there is no answer for {@link #LONG_NANOS}. */
    private static final double SOME_SPLITS = 100;

    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The finding of a look. */
    public enum Found {
        /** It answers, or may yet. */
        WELL,
        /** It splits batches without end. */
        SPLITS,
        /** Its thread is dead. */
        DEAD,
        /** It gets no answers although the brokers could give them; see {@link #stuck}. */
        STUCK,
        /** It was told to close, and its thread neither ends nor fails the records that have no answer. */
        HANGS
    }

    /** The message to those whose records a dead client has. */
    public static final String DEAD =
            "the thread of the producer has ended and leaves records without an answer: the log has" + " its exception";

    /** The message to those whose records a hanging client holds. */
    static final String HANGS = "the producer was told to close, and its thread hangs and leaves records without an"
            + " answer: look for what blocks it in an interceptor, a serializer, a login or a callback";

    /** Time for a client that was told to close to fail the records that have no answer. */
    private static final long HANGS_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final boolean shared;

    /** Time of the first look at a client that was told to close; of no use before. */
    private long closingNanos;

    private boolean seenClosing;

    /** The activity of the thread when it was found to hang. */
    private String hangsIn = "";

    private long answersSeen = -1;
    private double splitsAtAnswer;
    private long answerNanos;
    private boolean seenDead;

    private final ClientProgress progress;
    private final Supplier<Set<String>> topics;

    /** Least time for which a record has had no answer and none has come; meaningless without such a record. */
    private long waitingNanos;

    private String stuck = "";

    /**
     * Creates one that has seen nothing, and does not look whether the client is stuck.
     */
    public ClientHealth(boolean shared) {
        this(shared, ClientProgress.NONE, Set::of);
    }

    /**
     * Creates one that has seen nothing.
     *
     * @param shared whether others use the client: their records may be split while the brokers of these are away
     * @param progress looks whether it is stuck
     * @param topics those that it has records for; any thread
     */
    public ClientHealth(boolean shared, ClientProgress progress, Supplier<Set<String>> topics) {
        this.shared = shared;
        this.progress = progress;
        this.topics = topics;
    }

    /** The fault after the last look has found {@link Found#STUCK}, in words. */
    public String stuck() {
        return stuck;
    }

    /** The failure of a run, or null: another client may go on where one is stuck. */
    public @Nullable KafkaPipelineException failure(Found found) {
        return switch (found) {
            case WELL, STUCK -> null;
            case SPLITS -> new KafkaPipelineException(ENDLESS);
            case DEAD ->
                new KafkaPipelineException(DEAD + "; what is not acknowledged is written again after a restart");
            case HANGS -> hangs(hangsIn);
        };
    }

    /** The failure of a run whose client was told to close and hangs. */
    public static KafkaPipelineException hangs(ClientThread thread) {
        return hangs(thread.describe());
    }

    private static KafkaPipelineException hangs(String place) {
        return new KafkaPipelineException(HANGS + (place.isEmpty() ? "" : ", now " + place)
                + "; what is not acknowledged is written again after a restart");
    }

    /**
     * Looks; to be called several times a second.
     *
     * @param answered answers so far
     * @param unanswered records without one
     * @param awaited whether something else is waited for
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
        if (answered != answersSeen || unanswered == 0) {
            waitingNanos = nowNanos;
        }
        if (answered != answersSeen) {
            answersSeen = answered;
            splitsAtAnswer = splits;
            answerNanos = nowNanos;
        } else if (dead && seenDead) {
            found = Found.DEAD;
        } else if (unanswered > 0 && isEndless(splits - splitsAtAnswer, nowNanos - answerNanos)) {
            found = Found.SPLITS;
        } else {
            StuckException wrong = progress.look(nowNanos - waitingNanos, topics.get(), nowNanos);
            if (wrong != null) {
                stuck = String.valueOf(wrong.getMessage());
                found = Found.STUCK;
                waitingNanos = nowNanos;
            }
        }
        seenDead = dead; // counts when seen twice: the last answers before a thread's end may just be coming in
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
