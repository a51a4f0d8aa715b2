package dev.weir.kafka.internal.out.client;

import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigDef;
import org.jspecify.annotations.Nullable;

/**
 * Detects a client whose records are not acknowledged although their partitions are writable. By default, a client
 * waits forever. It counts as stuck if both of these conditions hold:
 *
 * <ul>
 * <li>Its oldest record has been unacknowledged for several request timeouts.
 * <li>Two queries on a separate connection found that all partitions of its topics have a leader and enough replicas in
 * sync, and that its transaction coordinators respond.
 * </ul>
 *
 * <p>The next check after the second query reports a stuck client. Each detection doubles the time until the next one.
 * Confined to the monitoring thread, except for {@link #trouble}.
 */
public final class ClientProgress {

    /** An instance that detects nothing. */
    public static final ClientProgress NONE = new ClientProgress(Long.MAX_VALUE, topics -> "not checked");

    private static final int REQUEST_TIMEOUTS = 4;
    private static final long SHORTEST_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final int DEFAULT_REQUEST_TIMEOUT_MILLIS = 30_000;

    private final Function<Set<String>, String> obstacles;
    private long stuckNanos;

    /** The time of the last query. Valid if {@link #isAsked}. */
    private long askedNanos;

    private boolean isAsked;
    private boolean couldBeWritten;

    private volatile String trouble = "";

    /** True if both queries found the topics writable, and no acknowledgement has arrived since. */
    private boolean isConfirmed;

    ClientProgress(long stuckNanos, Function<Set<String>, String> obstacles) {
        this.stuckNanos = stuckNanos;
        this.obstacles = obstacles;
    }

    /** Creates a check for clients with this configuration. */
    public static ClientProgress of(Map<String, ?> clientConfig) {
        return of(clientConfig, Set.of());
    }

    /** Creates a check for clients that write in transactions, each with one of these transactional ids. */
    public static ClientProgress of(Map<String, ?> clientConfig, Collection<String> transactionalIds) {
        return new ClientProgress(
                stuckNanos(clientConfig), new WritableTopics(clientConfig, transactionalIds)::obstacle);
    }

    /**
     * Returns a message if records have been unacknowledged for a long time, with the brokers' report about their
     * topics. Otherwise returns an empty string. May be called from any thread.
     */
    public String trouble() {
        return trouble;
    }

    /** Returns the time without an acknowledgement after which a client first counts as stuck. */
    static long stuckNanos(Map<String, ?> clientConfig) {
        Object said = clientConfig.get(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG);
        Object parsed = said == null
                ? null
                : ConfigDef.parseType(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, said, ConfigDef.Type.INT);
        int requestMillis = parsed instanceof Integer number ? number : DEFAULT_REQUEST_TIMEOUT_MILLIS;
        long nanos = Math.max(SHORTEST_NANOS, REQUEST_TIMEOUTS * TimeUnit.MILLISECONDS.toNanos(requestMillis));
        // Prevent an overflow: users set a linger time of hundreds of years to send only full batches.
        return nanos + Math.min(lingerNanos(clientConfig), Long.MAX_VALUE - nanos);
    }

    private static long lingerNanos(Map<String, ?> clientConfig) {
        Object said = clientConfig.get(ProducerConfig.LINGER_MS_CONFIG);
        Object parsed =
                said == null ? null : ConfigDef.parseType(ProducerConfig.LINGER_MS_CONFIG, said, ConfigDef.Type.LONG);
        return parsed instanceof Long millis ? TimeUnit.MILLISECONDS.toNanos(millis) : 0;
    }

    /**
     * Checks the client. Must be called several times a second. May block for a few seconds to query the brokers.
     *
     * @param oldestNanos minimum age of the oldest unacknowledged record; 0 if there is none
     * @param topics the topics of the client's records
     * @return the failure of the client's records if the client is stuck; otherwise null
     */
    public @Nullable StuckException look(long oldestNanos, Set<String> topics, long nowNanos) {
        if (oldestNanos < stuckNanos / 2) {
            reset();
            return null;
        }
        if (isConfirmed) {
            reset();
            stuckNanos = Math.max(stuckNanos, Math.min(LONGEST_NANOS, 2 * stuckNanos));
            return stuck(oldestNanos, topics);
        }
        if (isAsked && nowNanos - askedNanos < (couldBeWritten ? stuckNanos / 2 : stuckNanos / 4)) {
            return null;
        }
        boolean before = isAsked && couldBeWritten;
        isAsked = true;
        askedNanos = nowNanos;
        String obstacle = obstacles.apply(topics);
        couldBeWritten = obstacle.isEmpty();
        trouble = sentence(oldestNanos, topics, obstacle);
        isConfirmed = before && couldBeWritten && oldestNanos >= stuckNanos;
        return null;
    }

    private static StuckException stuck(long oldestNanos, Set<String> topics) {
        return new StuckException("the producer has had no answer for "
                + Duration.ofNanos(oldestNanos).toSeconds() + " s to records for " + String.join(", ", topics)
                + ", although the brokers say that all partitions there have a leader and enough replicas in sync, and"
                + " coordinators of transactions answer");
    }

    private static String sentence(long oldestNanos, Set<String> topics, String obstacle) {
        return obstacle.isEmpty()
                ? Thrown.reason(stuck(oldestNanos, topics))
                : "the producer has had no answer for "
                        + Duration.ofNanos(oldestNanos).toSeconds() + " s to records for " + String.join(", ", topics)
                        + ": " + obstacle;
    }

    private void reset() {
        isAsked = false;
        couldBeWritten = false;
        isConfirmed = false;
        trouble = "";
    }

    /** The failure of a stuck client's records. */
    public static final class StuckException extends KafkaException {

        private static final long serialVersionUID = 1L;

        private StuckException(String message) {
            super(message);
        }
    }
}
