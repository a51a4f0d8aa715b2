package dev.weir.metrics;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The factor that limited a pipeline during an interval, and the change that lifts it. Immutable.
 *
 * <p>A gain is a factor of the pipeline's rate: 1 means no gain, 2 means twice the records per second.
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

    /** The class of the limiter. */
    public Kind kind() {
        return values.kind;
    }

    /**
     * The name of the limiter: a stage, dispatcher, consumer or {@code topic-partition}; its kind's id if it has no
     * other name.
     */
    public String name() {
        return values.name;
    }

    /** The finding with its figures as readable text, without a full stop. */
    public String sentence() {
        return values.sentence;
    }

    /** The advised change as readable text, without a full stop. */
    public String advice() {
        return values.advice;
    }

    /** The advised change in the terms of {@code frontEnd}, or the fact alone if it cannot be changed there. */
    public String advice(FrontEnd frontEnd) {
        Objects.requireNonNull(frontEnd, "frontEnd");
        return values.lever.kind() == Lever.Kind.ELSEWHERE ? values.advice : values.lever.in(frontEnd);
    }

    /** The change behind the advice, in a form for programs. */
    public Lever lever() {
        return values.lever;
    }

    /** The confidence of the finding. */
    public Confidence confidence() {
        return values.confidence;
    }

    /** The other candidates, if the evidence does not separate them; empty if it does. */
    public List<Limiter> candidates() {
        return values.candidates;
    }

    /**
     * The time of each stage during the interval, in the order of the flow. The sentence and the displays next to it
     * take their figures from here. Empty for a finding that was not made from readings.
     */
    public List<StageTime> stages() {
        return values.account.stages;
    }

    /** The time of one stage; null if the finding has none. */
    public @Nullable StageTime stage(String stage) {
        Objects.requireNonNull(stage, "stage");
        return values.account.stages.stream()
                .filter(each -> each.stage().equals(stage))
                .findFirst()
                .orElse(null);
    }

    /** The length of the interval in seconds; 0 if the finding was not made from readings. */
    public double seconds() {
        return values.account.seconds;
    }

    /** The confidence of a finding. */
    public enum Confidence {
        /** The evidence leaves one answer. */
        SURE,
        /** Several answers remain; the sentence says what would separate them. */
        CANDIDATES,
        /** It is too early to say; the sentence says why. */
        MEASURING;

        /** The name for programs: lower case. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The expected growth factor of the rate once the advice is followed: never below 1. */
    public double expectedGain() {
        return values.expectedGain;
    }

    /**
     * The growth factor of the rate when an advice was last followed, for this limiter or an earlier one; null if
     * none was followed or the gain was not measured.
     */
    public @Nullable Double measuredGain() {
        return values.measuredGain;
    }

    /** The classes of limiters; {@code docs/reference/limiter.md} has a section for each. */
    public enum Kind {
        /** The brokers do not answer, or answer slowly. */
        SOURCE_BROKER,
        /** The fetch path delivers less than the pipeline could take, though records are waiting. */
        SOURCE_FETCH,
        /** A source spends its time on decoding what it has fetched. */
        SOURCE_DECODE,
        /** No records arrive, and none are waiting. */
        SOURCE_IDLE,
        /** The pipeline keeps up with all records that arrive. */
        ARRIVAL,
        /** A stage computes all the time. */
        STAGE_CPU,
        /** All workers of a stage are taken, and most of them wait for something outside. */
        STAGE_WAIT,
        /** Tasks wait for a thread of a dispatcher. */
        DISPATCHER,
        /** The worker of one key is busy while the others have nothing to do. */
        KEY_SKEW,
        /** One partition lags while the others have been read to their ends. */
        ONE_PARTITION,
        /** Partitions stand still because their windows of unfinished records are full. */
        WINDOW,
        /** Partitions stand still because the consumer's byte budget is spent. */
        BYTE_BUDGET,
        /** The producer does not accept output as fast as the pipeline creates it. */
        PRODUCER,
        /** The brokers acknowledge the output slowly or not at all. */
        OUTPUT_BROKER,
        /** Commits fail or do not complete. */
        COMMIT,
        /** The garbage collector takes the application's time. */
        GC,
        /** All processors of the machine are busy. */
        MACHINE_CPU,
        /** All workers of a share consumer are busy. */
        SHARE_WORKERS,
        /** A share consumer has no credits left for further records. */
        SHARE_CREDITS,
        /** The broker's limit of acquired records of a share partition is reached. */
        SHARE_WINDOW,
        /** Members of a share group wait for each other's fetches. */
        SHARE_FETCH_LOCK,
        /** The share coordinator's state writes are slow. */
        SHARE_STATE,
        /** It is too early to say. */
        MEASURING;

        /** The kind's name for programs: lower case, with hyphens. */
        public String id() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Creates a limiter whose advice has not been applied yet. */
    public static Limiter of(Kind kind, String name, String sentence, String advice, double expectedGain) {
        return new Limiter(
                kind, name, sentence, advice, expectedGain, null, Lever.elsewhere(advice), Confidence.SURE, List.of());
    }

    /** Creates a limiter that a lever lifts; its advice is the lever's advice for code. */
    static Limiter of(Kind kind, String name, String sentence, Lever lever, double expectedGain) {
        return new Limiter(
                kind, name, sentence, lever.in(FrontEnd.CODE), expectedGain, null, lever, Confidence.SURE, List.of());
    }

    /** Creates the finding that it is too early to say, because of {@code reason}. */
    static Limiter measuring(String reason) {
        return new Limiter(
                Kind.MEASURING,
                Kind.MEASURING.id(),
                "measuring: " + reason,
                "wait a few seconds",
                1,
                null,
                Lever.none(),
                Confidence.MEASURING,
                List.of());
    }

    /** This finding with {@code other} as an equal candidate; {@code separates} says what would tell them apart. */
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

    /** This finding in the terms of {@code frontEnd}. */
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

    /** This limiter with the gain measured after its advice was applied. */
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

    /** This finding with the stage times of its interval. */
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

    /** The figures of the interval behind a finding. */
    private record Account(double seconds, List<StageTime> stages) {

        static final Account NONE = new Account(0, List.of());
    }
}
