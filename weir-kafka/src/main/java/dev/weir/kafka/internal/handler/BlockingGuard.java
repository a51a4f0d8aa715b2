package dev.weir.kafka.internal.handler;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.Decoded;
import dev.weir.kafka.spi.RecordTracing;
import dev.weir.stream.Handler;
import dev.weir.stream.spi.Gate;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Wraps a blocking handler with a circuit breaker and a timeout, and converts failures into values. Throws failures
 * that must be retried or must fail the pipeline. Thread-safe if the handler is.
 */
final class BlockingGuard<K, V, R> implements Handler<HandlerJob<K, V>, HandlerOutcome<R>>, Gate<HandlerJob<K, V>> {

    private final FailureRules rules;
    private final Handler<? super ConsumerRecord<K, V>, ? extends R> handler;

    BlockingGuard(FailureRules rules, Handler<? super ConsumerRecord<K, V>, ? extends R> handler) {
        this.rules = rules;
        this.handler = handler;
    }

    @Override
    public boolean isAlwaysOpen() {
        return rules.breaker() == null;
    }

    @Override
    public boolean enter(HandlerJob<K, V> job, BooleanSupplier revoked) throws InterruptedException {
        return rules.enter(job, revoked);
    }

    @Override
    public void leave(HandlerJob<K, V> job) {
        rules.leave(job);
    }

    @Override
    public void lookAgain() {
        rules.lookAgain();
    }

    @Override
    public HandlerOutcome<R> handle(HandlerJob<K, V> job) throws Exception {
        return switch (job.decoded()) {
            case Decoded.Refused<K, V> refused -> rules.undecodable(refused);
            case Decoded.Read<K, V> read -> {
                CircuitBreaker breaker = rules.breaker();
                long permit = rules.permit(job);
                job.countAttempt();
                try {
                    R result = call(read.record());
                    if (breaker != null) {
                        breaker.succeeded(permit);
                    }
                    yield new HandlerOutcome.Done<>(job.raw(), result, job.attempts());
                } catch (Throwable thrown) {
                    HandlerOutcome<R> outcome =
                            rules.settle(job, permit, thrown, FailureRules.isOfTheMachinery(thrown));
                    if (outcome == null) {
                        throw thrown;
                    }
                    yield outcome;
                }
            }
        };
    }

    private R call(ConsumerRecord<K, V> record) throws Exception {
        RecordTracing.Attempt attempt = rules.tracing().begin(record);
        Throwable failure = null;
        try {
            R result = rules.timeout() == null
                    ? handler.handle(record)
                    : TimedCall.call(() -> handler.handle(record), rules.timeout(), record);
            if (result == null) {
                throw new NullPointerException("the handler returned null");
            }
            rules.trace(attempt, RecordTracing.Attempt::succeeded, null);
            return result;
        } catch (Throwable thrown) {
            failure = thrown;
            rules.trace(attempt, thrown);
            throw thrown;
        } finally {
            rules.trace(attempt, RecordTracing.Attempt::close, failure);
        }
    }
}
