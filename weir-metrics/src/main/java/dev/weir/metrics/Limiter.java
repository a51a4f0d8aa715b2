package dev.weir.metrics;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The factor that limited a pipeline's rate during an interval (its bottleneck), and the change that would raise the
 * limit. Immutable.
 *
 * <p>A gain is a factor of the pipeline's rate: 1 means no gain, and 2 means twice as many records per second.
 */
public final class Limiter {

    private final Values values;

    private Limiter(
            Kind kind,
            String name,
            String sentence,
            String advice,
            double expectedGain,
            @Nullable Double measuredGain,
            Lever lever,
            Confidence confidence,
            List<Limiter> candidates) {
        this(new Values(
                kind, name, sentence, advice, expectedGain, measuredGain, lever, confidence, candidates, Account.NONE));
    }

    private Limiter(Values values) {
        this.values = values;
    }

    /** The kind of limiter. */
    public Kind kind() {
        return values.kind;
    }

    /**
     * The name of the limiter: a stage, dispatcher, consumer or {@code topic-partition}, or else the id of its kind.
     */
    public String name() {
        return values.name;
    }

    /** The finding with its measured values, as human-readable text without a full stop. */
    public String sentence() {
        return values.sentence;
    }

    /** The advised change, as human-readable text without a full stop. */
    public String advice() {
        return values.advice;
    }

    /**
     * Returns the advised change in the terms of {@code frontEnd}. If the change cannot be made there, the text says
     * where it can be made.
     */
    public String advice(FrontEnd frontEnd) {
        Objects.requireNonNull(frontEnd, "frontEnd");
        return values.lever.kind() == Lever.Kind.ELSEWHERE ? values.advice : values.lever.in(frontEnd);
    }

    /** The change behind the advice, in machine-readable form. */
    public Lever lever() {
        return values.lever;
    }

    /** The confidence of the finding. */
    public Confidence confidence() {
        return values.confidence;
    }

    /** The other candidates, if the evidence does not distinguish between them; otherwise empty. */
    public List<Limiter> candidates() {
        return values.candidates;
    }

    /**
     * The time of each stage during the interval, in the order of the flow. {@link #sentence} is based on the same
     * values. Empty if the finding is not based on readings.
     */
    public List<StageTime> stages() {
        return values.account.stages;
    }

    /** Returns the time of one stage, or null if the finding does not contain that stage. */
    public @Nullable StageTime stage(String stage) {
        Objects.requireNonNull(stage, "stage");
        return values.account.stages.stream()
                .filter(each -> each.stage().equals(stage))
                .findFirst()
                .orElse(null);
    }

    /** The length of the interval in seconds, or 0 if the finding is not based on readings. */
    public double seconds() {
        return values.account.seconds;
    }

    /** The confidence of a finding. */
    public enum Confidence {
        /** The evidence leaves only one possibility. */
        SURE,
        /** Several possibilities remain; the sentence says what would distinguish them. */
        CANDIDATES,
        /** It is too early for a finding; the sentence gives the reason. */
        MEASURING;

        /** Returns the machine-readable name, in lower case. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The expected growth factor of the rate if the advice is followed; at least 1. */
    public double expectedGain() {
        return values.expectedGain;
    }

    /**
     * The measured growth factor of the rate after advice was last followed, which may have been the advice of an
     * earlier limiter. Null if no advice was followed or the gain was not measured.
     */
    public @Nullable Double measuredGain() {
        return values.measuredGain;
    }

    /** The kinds of limiters; {@code docs/reference/limiter.md} has a section for each. */
    public enum Kind {
        /** The brokers do not respond, or respond slowly. */
        SOURCE_BROKER,
        /** The fetch path delivers fewer records than the pipeline could process, although records are waiting. */
        SOURCE_FETCH,
        /** A source spends its time decoding the records that it has fetched. */
        SOURCE_DECODE,
        /** No records arrive, and none are waiting. */
        SOURCE_IDLE,
        /** The pipeline keeps up with all records that arrive. */
        ARRIVAL,
        /** A stage is computing all the time. */
        STAGE_CPU,
        /** All workers of a stage are in use, and most of them are waiting for an external service. */
        STAGE_WAIT,
        /** Tasks are waiting for a thread of a dispatcher. */
        DISPATCHER,
        /** The worker of one key is busy while the other workers are idle. */
        KEY_SKEW,
        /** One partition lags while the other partitions have been read to the end. */
        ONE_PARTITION,
        /** Partitions are paused because their windows of unfinished records are full. */
        WINDOW,
        /** Partitions are paused because the consumer's byte budget is used up. */
        BYTE_BUDGET,
        /** The producer does not accept output as fast as the pipeline creates it. */
        PRODUCER,
        /** The brokers acknowledge the output slowly or not at all. */
        OUTPUT_BROKER,
        /** Commits fail or do not complete. */
        COMMIT,
        /** Garbage collection takes up the application's time. */
        GC,
        /** All CPUs of the machine are busy. */
        MACHINE_CPU,
        /** All workers of a share consumer are busy. */
        SHARE_WORKERS,
        /** A share consumer has no credits left for acquiring more records. */
        SHARE_CREDITS,
        /** The broker's limit on acquired records of a share partition has been reached. */
        SHARE_WINDOW,
        /** Members of a share group are waiting for each other's fetches. */
        SHARE_FETCH_LOCK,
        /** The share coordinator's writes of its state are slow. */
        SHARE_STATE,
        /** It is too early for a finding. */
        MEASURING;

        /**
         * Returns whether something is at its limit. If not, the limiter's name says only where most of the work is
         * done.
         */
        public boolean isLimit() {
            return this != ARRIVAL && this != SOURCE_IDLE && this != MEASURING;
        }

        /** Returns the machine-readable name, in lower case with hyphens. */
        public String id() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Creates a limiter without a measured gain. */
    public static Limiter of(Kind kind, String name, String sentence, String advice, double expectedGain) {
        return new Limiter(
                kind, name, sentence, advice, expectedGain, null, Lever.elsewhere(advice), Confidence.SURE, List.of());
    }

    /** Creates a limiter with the change that raises it. Its advice is worded for program code. */
    static Limiter of(Kind kind, String name, String sentence, Lever lever, double expectedGain) {
        return new Limiter(
                kind, name, sentence, lever.in(FrontEnd.CODE), expectedGain, null, lever, Confidence.SURE, List.of());
    }

    /** Creates a finding without a limiter, because of {@code reason}. */
    static Limiter measuring(String reason) {
        return none("measuring: " + reason, "wait a few seconds");
    }

    /** Creates the finding that the limiter of an ended run is unknown, because of {@code reason}. */
    static Limiter unknown(String reason) {
        return none("unknown: " + reason, Lever.none().in(FrontEnd.CODE));
    }

    private static Limiter none(String sentence, String advice) {
        return new Limiter(
                Kind.MEASURING,
                Kind.MEASURING.id(),
                sentence,
                advice,
                1,
                null,
                Lever.none(),
                Confidence.MEASURING,
                List.of());
    }

    /**
     * Returns this finding with {@code other} as an equally likely candidate.
     *
     * @param separates how to tell the two apart, as text
     */
    Limiter or(Limiter other, String separates) {
        return new Limiter(new Values(
                values.kind,
                values.name,
                values.sentence + "; it may as well be " + other.name() + " (" + other.sentence() + "): " + separates,
                values.advice,
                values.expectedGain,
                values.measuredGain,
                values.lever,
                Confidence.CANDIDATES,
                List.of(other),
                values.account));
    }

    /** Returns this finding in the terms of {@code frontEnd}. */
    public Limiter inWordsOf(FrontEnd frontEnd, UnaryOperator<String> words) {
        Objects.requireNonNull(frontEnd, "frontEnd");
        Objects.requireNonNull(words, "words");
        return new Limiter(new Values(
                values.kind,
                values.name,
                words.apply(values.sentence),
                words.apply(advice(frontEnd)),
                values.lever.isWithin(frontEnd) ? values.expectedGain : 1,
                values.measuredGain,
                values.lever,
                values.confidence,
                values.candidates,
                values.account));
    }

    /** Returns this limiter with the gain measured after its advice was followed. */
    public Limiter measured(double gain) {
        return new Limiter(new Values(
                values.kind,
                values.name,
                values.sentence,
                values.advice,
                values.expectedGain,
                gain,
                values.lever,
                values.confidence,
                values.candidates,
                values.account));
    }

    /** Returns this finding with the stage times of its interval. */
    Limiter from(Interval interval) {
        return new Limiter(new Values(
                values.kind,
                values.name,
                values.sentence,
                values.advice,
                values.expectedGain,
                values.measuredGain,
                values.lever,
                values.confidence,
                values.candidates,
                new Account(interval.seconds, interval.times())));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Limiter that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "Limiter");
    }

    private record Values(
            Kind kind,
            String name,
            String sentence,
            String advice,
            double expectedGain,
            @Nullable Double measuredGain,
            Lever lever,
            Confidence confidence,
            List<Limiter> candidates,
            Account account) {

        Values {
            Objects.requireNonNull(kind, "kind");
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(sentence, "sentence");
            Objects.requireNonNull(advice, "advice");
            if (!(expectedGain >= 1) || Double.isInfinite(expectedGain)) {
                throw new IllegalArgumentException("expectedGain must be at least 1 and finite: " + expectedGain);
            }
            if (measuredGain != null && !(measuredGain >= 0)) {
                throw new IllegalArgumentException("measuredGain must not be negative: " + measuredGain);
            }
        }
    }

    /** The values of the interval on which a finding is based. */
    private record Account(double seconds, List<StageTime> stages) {

        static final Account NONE = new Account(0, List.of());
    }
}
