package dev.weir.kafka.internal.out.transaction;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a run's transactions, and the ids of the run's clients. Immutable.
 *
 * <pre>
 *   transactional.id   GROUP-weir-RUN-N        N is the number of the producer within the run
 *   client.id          NAME-RUN                of the consumer; shows the other group members which runs are live
 * </pre>
 *
 * @param run 16 hexadecimal digits, random for each run, but the same for all runs of a static member
 * @param intervalNanos the time for which a transaction accepts records
 * @param records the number of output records at which a transaction ends before the interval has passed
 * @param bytes the number of key and value bytes, counted when acknowledged, at which a transaction ends before the
 *     interval has passed
 * @param timeoutNanos the time after which the coordinator aborts a transaction
 */
public record TransactionPlan(
        String group, String run, long intervalNanos, long records, long bytes, long timeoutNanos) {

    /** The transaction timeout if the producer's settings contain none. */
    public static final int TIMEOUT_MILLIS = (int) Duration.ofSeconds(30).toMillis();

    /**
     * Creates the plan of a new run.
     *
     * @param member the {@code group.instance.id} of a static member, or null. All runs of a static member have the
     *     same run id
     */
    public static TransactionPlan ofNewRun(
            String group, @Nullable String member, Duration interval, long records, long bytes, Duration timeout) {
        String run = member == null
                ? HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong())
                : runOf(member);
        return new TransactionPlan(group, run, interval.toNanos(), records, bytes, timeout.toNanos());
    }

    private static String runOf(String member) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(member.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, Long.BYTES);
        } catch (NoSuchAlgorithmException impossible) { // every Java platform has it
            throw new IllegalStateException(impossible);
        }
    }

    /**
     * Returns the longest time that a due transaction waits for unfinished inputs: half of the transaction timeout,
     * minus {@code intervalNanos}; at least an eighth of the timeout.
     */
    long patienceNanos() {
        return Math.max(timeoutNanos / 2 - intervalNanos, timeoutNanos / 8);
    }

    String transactionalId(int number) {
        return group + "-weir-" + run + "-" + number;
    }

    /** Returns the client id of this run's consumer. */
    public String clientId(String name) {
        return name + "-" + run;
    }

    /** Matches the transactional ids of all runs of the group. Group 1 of the match is the run's id. */
    Pattern idsOfGroup() {
        return Pattern.compile(Pattern.quote(group) + "-weir-([0-9a-f]{16})-\\d+");
    }
}
