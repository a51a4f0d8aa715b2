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
 *   client.id          NAME-RUN                of the consumer, which shows the group's members the live runs
 * </pre>
 *
 * @param run 16 hexadecimal digits, random for each run; the same for all runs of a static member
 * @param intervalNanos time that a transaction takes records
 * @param records number of output records that ends it earlier
 * @param bytes key and value bytes, as confirmed by the brokers, that end it earlier
 * @param timeoutNanos time after which the coordinator aborts it
 */
public record TransactionPlan(
        String group, String run, long intervalNanos, long records, long bytes, long timeoutNanos) {

    /** The coordinator's transaction timeout, unless the producer's settings say otherwise. */
    public static final int TIMEOUT_MILLIS = (int) Duration.ofSeconds(30).toMillis();

    /**
     * A plan for a new run.
     *
     * @param member the {@code group.instance.id} of a static member, or null. A classic group keeps the client id of
     *     the member's first run, so the other members would take a run with a random id for dead
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

    /** The time a due transaction waits for its inputs: up to half of its timeout, but at least an eighth. */
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

    /** Matches the ids of all runs of the group; the first capturing group is the run. */
    Pattern idsOfGroup() {
        return Pattern.compile(Pattern.quote(group) + "-weir-([0-9a-f]{16})-\\d+");
    }
}
