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
 * The times at which transactions end, and the names of one run. Immutable.
 *
 * <pre>
 *   transactional.id   GROUP-weir-RUN-N        N numbers the producers of the run
 *   client.id          NAME-RUN                of the consumer, so that the group's members tell which runs are alive
 * </pre>
 *
 * @param run 16 hexadecimal digits, drawn for each run; of all runs of a static member the same
 * @param intervalNanos how long a transaction takes records
 * @param records output records that end it earlier
 * @param bytes bytes of keys and values, as the brokers have confirmed them, that end it earlier
 * @param timeoutNanos after which the coordinator aborts it
 */
public record TransactionPlan(
        String group, String run, long intervalNanos, long records, long bytes, long timeoutNanos) {

    /** The time the coordinator lets a transaction stay open unless the producer's settings say otherwise. */
    public static final int TIMEOUT_MILLIS = (int) Duration.ofSeconds(30).toMillis();

    /**
     * A plan for a new run.
     *
     * @param member the {@code group.instance.id} of a static member, or null. A classic group goes on naming the
     *     client of its first run when another one takes its place, so that the others would take a drawn run for dead
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
        } catch (NoSuchAlgorithmException impossible) { // each Java platform has it
            throw new IllegalStateException(impossible);
        }
    }

    /** The time a due transaction waits for its inputs: until half of its timeout, but an eighth at least. */
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
