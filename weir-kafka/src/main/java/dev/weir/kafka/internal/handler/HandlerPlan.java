package dev.weir.kafka.internal.handler;

import dev.weir.kafka.Decoded;
import dev.weir.kafka.RecordDecoder;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.stream.Handler;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.Source;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The handler of a flow and its rules for failed records. Immutable.
 *
 * @param deadLetterTopic receives records that failed permanently; null if there is none
 */
public record HandlerPlan<K, V, R>(
        RecordDecoder<K, V> decoder,
        Ordering<HandlerJob<K, V>> ordering,
        HandlerStage<K, V, R> stage,
        FailureRules rules,
        @Nullable DeadLetterTopic deadLetterTopic) {

    /** The stage that calls the handler. */
    @FunctionalInterface
    public interface HandlerStage<K, V, R> {

        Source<HandlerOutcome<R>> under(
                Source<HandlerJob<K, V>> jobs, Ordering<HandlerJob<K, V>> ordering, FailureRules rules);

        /** Calls a handler that may block, on virtual threads. */
        static <K, V, R> HandlerStage<K, V, R> blocking(
                Parallelism concurrency, Handler<? super ConsumerRecord<K, V>, ? extends R> handler) {
            Objects.requireNonNull(concurrency, "concurrency");
            Objects.requireNonNull(handler, "handler");
            return (jobs, order, rules) ->
                    supervised(jobs.mapBlocking(concurrency, order, new BlockingGuard<K, V, R>(rules, handler)), rules);
        }

        /** Starts an asynchronous computation. */
        static <K, V, R> HandlerStage<K, V, R> async(
                int parallelism,
                Function<? super ConsumerRecord<K, V>, ? extends CompletionStage<? extends R>> handler) {
            Objects.requireNonNull(handler, "handler");
            return (jobs, order, rules) -> supervised(
                    jobs.mapAsync(Parallelism.fixed(parallelism), order, new AsyncGuard<K, V, R>(rules, handler)),
                    rules);
        }

        private static <R> Source<HandlerOutcome<R>> supervised(Source<HandlerOutcome<R>> calls, FailureRules rules) {
            return calls.named("handle").supervised(rules.supervision());
        }
    }

    /** Creates a plan without rules. Throws if a setting of the stage is out of range. */
    public static <K, V, R> HandlerPlan<K, V, R> of(
            RecordDecoder<K, V> decoder, Ordering<? super ConsumerRecord<K, V>> ordering, HandlerStage<K, V, R> stage) {
        Ordering<HandlerJob<K, V>> onJobs = onJobs(Objects.requireNonNull(ordering, "ordering"));
        // Checks the settings now rather than when the flow runs.
        var unused = stage.under(Source.empty(), onJobs, FailureRules.NONE);
        return new HandlerPlan<>(decoder, onJobs, stage, FailureRules.NONE, null);
    }

    private static <K, V> Ordering<HandlerJob<K, V>> onJobs(Ordering<? super ConsumerRecord<K, V>> ordering) {
        if (ordering.isKeyed()) {
            return Ordering.byHash(job ->
                    job.decoded() instanceof Decoded.Read<K, V> read ? ordering.keyOf(read.record()) : Ordering.NO_KEY);
        }
        return ordering.isInput() ? Ordering.input() : Ordering.unordered();
    }

    public HandlerPlan<K, V, R> with(FailureRules newRules) {
        return new HandlerPlan<>(decoder, ordering, stage, newRules, deadLetterTopic);
    }

    public HandlerPlan<K, V, R> with(DeadLetterTopic newTopic) {
        return new HandlerPlan<>(decoder, ordering, stage, rules.withWayOut(), newTopic);
    }

    /** Decodes and handles the records. */
    public Source<HandlerOutcome<R>> outcomes(Source<ConsumerRecord<byte[], byte[]>> raw) {
        return stage.under(
                rules.tracing()
                        .arriving(raw)
                        .map(record -> new HandlerJob<>(decoder.apply(record)))
                        .named("decode"),
                ordering,
                rules);
    }
}
