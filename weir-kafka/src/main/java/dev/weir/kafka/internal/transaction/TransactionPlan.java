package dev.weir.kafka.internal.transaction;

import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/**
 * When transactions end, and the names of one run. Immutable.
 *
 * <pre>
 *   transactional.id   GROUP-weir-RUN-N        N numbers the producers of the run
 *   client.id          NAME-RUN                of the consumer, so that the group's members tell which runs are alive
 * </pre>
 *
 * @param run 16 hexadecimal digits, drawn for each run
 * @param intervalNanos how long a transaction takes records
 * @param records output records that end it earlier
 * @param bytes bytes of keys and values, as the brokers have confirmed them, that end it earlier
 * @param timeoutNanos after which the coordinator aborts it
 */
public record TransactionPlan(
        String group, String run, long intervalNanos, long records, long bytes, long timeoutNanos) {

    /** How long the coordinator lets a transaction stay open unless the producer's settings say otherwise. */
    public static final int TIMEOUT_MILLIS = (int) Duration.ofSeconds(30).toMillis();

    /** A plan for a new run. */
    public static TransactionPlan ofNewRun(
            String group, Duration interval, long records, long bytes, Duration timeout) {
        String run = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
        return new TransactionPlan(group, run, interval.toNanos(), records, bytes, timeout.toNanos());
    }

    /** How long a transaction that is due waits for its inputs: until half of its timeout, but an eighth at least. */
    long patienceNanos() {
        return Math.max(timeoutNanos / 2 - intervalNanos, timeoutNanos / 8);
    }

    String transactionalId(int number) {
        return group + "-weir-" + run + "-" + number;
    }

    /** The client id of a consumer of this run. */
    public String clientId(String name) {
        return name + "-" + run;
    }

    /** The ids of all runs of the group; the first group is the run. */
    Pattern idsOfGroup() {
        return Pattern.compile(Pattern.quote(group) + "-weir-([0-9a-f]{16})-\\d+");
    }
}
