package dev.weir.kafka.internal.out.client;

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
 * waits forever, which is right while brokers are down. A client therefore counts as stuck only if two conditions are
 * met. Its oldest record must have been unacknowledged for several request timeouts. In addition, two queries on a
 * separate connection must have confirmed that all partitions of the client's topics have a leader and enough replicas
 * in sync, and that the client's transaction coordinators respond. The two queries are separated by at least half of
 * the time required by the first condition. A stuck client is reported by the first check after the second query,
 * because acknowledgements may arrive during the query.
 *
 * <p>Each detection doubles the time until the next one. Otherwise, a fault that persists with a new client would cause
 * records to be written again and again. Confined to the monitoring thread, except for {@link #trouble}.
 */
public final class ClientProgress {

    /** An instance that never detects anything. */
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

    /** The result of {@link #trouble}. */
    private volatile String trouble = "";

    /** True if both queries found the topics writable, and no acknowledgement has arrived since. */
    private boolean isConfirmed;

    ClientProgress(long stuckNanos, Function<Set<String>, String> obstacles) {
        this.stuckNanos = stuckNanos;
        this.obstacles = obstacles;
    }

    /** Creates a check for clients with this configuration. The check queries the brokers on a separate connection. */
    public static ClientProgress of(Map<String, ?> clientConfig) {
        return of(clientConfig, Set.of());
    }

    /** Creates a check for clients that write in transactions. Each client has one of these transactional ids. */
    public static ClientProgress of(Map<String, ?> clientConfig, Collection<String> transactionalIds) {
        return new ClientProgress(
                stuckNanos(clientConfig), new WritableTopics(clientConfig, transactionalIds)::obstacle);
    }

    /**
     * Returns a message if the client's records have been unacknowledged for a long time. The message includes the
     * brokers' report about the topics. Returns an empty string if there is no such problem. Any thread may call this
     * method.
     */
    public String trouble() {
        return trouble;
    }

    /** The time without an acknowledgement after which a client first counts as stuck. */
    static long stuckNanos(Map<String, ?> clientConfig) {
        Object said = clientConfig.get(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG);
        Object parsed = said == null
                ? null
                : ConfigDef.parseType(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, said, ConfigDef.Type.INT);
        int requestMillis = parsed instanceof Integer number ? number : DEFAULT_REQUEST_TIMEOUT_MILLIS;
        long nanos = Math.max(SHORTEST_NANOS, REQUEST_TIMEOUTS * TimeUnit.MILLISECONDS.toNanos(requestMillis));
        // The linger time may be hundreds of years, which makes a client send only full batches. Prevent an overflow.
        return nanos + Math.min(lingerNanos(clientConfig), Long.MAX_VALUE - nanos);
    }

    private static long lingerNanos(Map<String, ?> clientConfig) {
        Object said = clientConfig.get(ProducerConfig.LINGER_MS_CONFIG);
        Object parsed =
                said == null ? null : ConfigDef.parseType(ProducerConfig.LINGER_MS_CONFIG, said, ConfigDef.Type.LONG);
        return parsed instanceof Long millis ? TimeUnit.MILLISECONDS.toNanos(millis) : 0;
    }

    /**
     * Checks the client. Must be called several times a second. Blocks for at most a few seconds while it queries the
     * brokers.
     *
     * @param oldestNanos a lower bound of the time for which the oldest record has been unacknowledged; 0 if there is
     *     none
     * @param topics the topics of the client's records
     * @return the failure for the client's records if it is stuck; otherwise null
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
                ? String.valueOf(stuck(oldestNanos, topics).getMessage())
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

    /** The failure of records whose client is abandoned because it is stuck. */
    public static final class StuckException extends KafkaException {

        private static final long serialVersionUID = 1L;

        private StuckException(String message) {
            super(message);
        }
    }
}
