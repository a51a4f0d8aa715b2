package dev.weir.kafka;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The values that a consumer or share group member reports to health probes. Immutable. */
public final class ConsumerHealth {

    private final Values values;

    private ConsumerHealth(
            boolean live, boolean ready, boolean progressing, String reason, @Nullable Instant noAnswerSince) {
        this.values = new Values(live, ready, progressing, reason, noAnswerSince);
    }

    /** Creates an instance for testing code that reads one. During a run, the engine creates the instances. */
    public static ConsumerHealth of(
            boolean live, boolean ready, boolean progressing, String reason, @Nullable Instant noAnswerSince) {
        return new ConsumerHealth(live, ready, progressing, reason, noAnswerSince);
    }

    /**
     * Returns whether the consumer's thread is still running its loop. If it is not, only restarting the pipeline
     * helps.
     */
    public boolean live() {
        return values.live;
    }

    /**
     * Returns whether the consumer has joined its group, or has its partitions if it uses no group, and knows the start
     * position of each partition.
     */
    public boolean ready() {
        return values.ready;
    }

    /**
     * Returns whether records are being finished, or there are none to finish. False if no broker responds, or while a
     * downstream stage reports that it makes no progress, such as a producer that has been waiting too long for a
     * response.
     */
    public boolean progressing() {
        return values.progressing;
    }

    /** Returns the reason for each value that is false, or an empty string if all are true. */
    public String reason() {
        return values.reason;
    }

    /**
     * Returns the time of the last response from a broker if connections have been lost and no broker is responding;
     * null while a broker responds. An unreachable broker is detected after 5 s. A broker that keeps its connections
     * open without responding is detected after {@code request.timeout.ms}.
     */
    public @Nullable Instant noAnswerSince() {
        return values.noAnswerSince;
    }

    /** Returns the sentence that reports {@link #noAnswerSince} in logs, health reports and dumps. */
    public static String noAnswer(Instant since) {
        return "no broker answers since " + since.truncatedTo(ChronoUnit.SECONDS);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ConsumerHealth that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "ConsumerHealth");
    }

    private record Values(
            boolean live,
            boolean ready,
            boolean progressing,
            String reason,
            @Nullable Instant noAnswerSince) {}
}
