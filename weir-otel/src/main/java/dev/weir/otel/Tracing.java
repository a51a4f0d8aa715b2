package dev.weir.otel;

import dev.weir.kafka.spi.RecordTracing;
import dev.weir.stream.Flow;
import dev.weir.stream.Handler;
import dev.weir.stream.Source;
import io.opentelemetry.api.OpenTelemetry;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Gives each record of a pipeline a span, makes it current where user code works on the record, and hands its
 * context on in the headers of what is written. Immutable and free to share.
 *
 * {@snippet :
 * Tracing tracing = Tracing.of(openTelemetry);
 * KafkaFlow.from(orders, "orders")
 *         .handle(64, RecordOrdering.byKey(), order -> price(order.value()))
 *         .with(tracing)
 *         .produceTo(invoices, invoice -> new ProducerRecord<>("invoices", invoice));
 *
 * KafkaSource.atLeastOnce(orders, "orders")
 *         .via(tracing.records())
 *         .via(tracing.beside())
 *         .mapBlocking(64, Ordering.unordered(), tracing.handler(order -> priced(order)))
 *         .via(tracing.inject())
 *         .to(KafkaSink.producing(invoices));
 * }
 *
 * <p>The context is read from a record's headers, by the propagators of the {@link OpenTelemetry} given, when user
 * code is first called for it: once. From then on it goes where the record's acknowledgement goes, through operators
 * of every kind. The span ends with the last claim on the record, before its acknowledgement; if nobody finishes the
 * record, its span is never ended.
 */
public final class Tracing implements RecordTracing {

    private final Spans spans;

    private Tracing(Spans spans) {
        this.spans = spans;
    }

    /** Traces with the tracer and the propagators of {@code openTelemetry}. */
    public static Tracing of(OpenTelemetry openTelemetry) {
        return new Tracing(new Spans(Objects.requireNonNull(openTelemetry, "openTelemetry"), ""));
    }

    /** This tracing, whose spans name a consumer group. */
    @Override
    public Tracing inGroup(String group) {
        return new Tracing(spans.inGroup(Objects.requireNonNull(group, "group")));
    }

    /** Begins the way of consumed records: to stand right below their source. Records pass as they are. */
    public <K, V> Flow<ConsumerRecord<K, V>, ConsumerRecord<K, V>> records() {
        return Flow.of(
                "trace",
                records -> records.stage(
                        "records", (above, context) -> new RecordStage<>(above, context.meter(), spans, false)));
    }

    /**
     * Hands each element on together with the trace of the record that it came of, for the functions made here. An
     * element that came of several records, as after {@code grouped}, gets a span of its own, which links to theirs.
     * One that came of none has no trace, and functions are called as without tracing.
     */
    public <T> Flow<T, Traced<T>> beside() {
        return Flow.of(
                "trace",
                elements -> elements.stage(
                        "beside",
                        (above, context) -> new PlaceStage<T, Traced<T>>(above, context.meter(), spans, Traced::new)));
    }

    /** Writes the trace of the record that each element came of to its headers, which must not be read-only. */
    public <K, V> Flow<ProducerRecord<K, V>, ProducerRecord<K, V>> inject() {
        return Flow.of(
                "trace",
                records -> records.stage(
                        "inject",
                        (above, context) -> new PlaceStage<ProducerRecord<K, V>, ProducerRecord<K, V>>(
                                above, context.meter(), spans, (record, place) -> {
                                    Trace trace = place == null ? null : place.trace();
                                    if (trace != null) {
                                        spans.inject(trace, record.headers());
                                    }
                                    return record;
                                })));
    }

    /** {@code function} below {@link #beside}, called with the element's span as the current one. */
    public <T, R> Function<Traced<T>, R> function(Function<? super T, ? extends R> function) {
        Objects.requireNonNull(function, "function");
        Handler<Traced<T>, R> handler = handler(function::apply);
        return traced -> {
            try {
                return handler.handle(traced);
            } catch (RuntimeException unchecked) {
                throw unchecked;
            } catch (Exception impossible) {
                throw new AssertionError("a function threw a checked exception", impossible);
            }
        };
    }

    /** {@code handler} below {@link #beside}, called with the element's span as the current one. */
    public <T, R> Handler<Traced<T>, R> handler(Handler<? super T, ? extends R> handler) {
        Objects.requireNonNull(handler, "handler");
        return traced -> {
            Trace trace = traced.trace();
            if (trace == null) {
                return handler.handle(traced.value());
            }
            try {
                Callable<R> call = () -> handler.handle(traced.value());
                R result = trace.context().wrap(call).call();
                trace.succeeded();
                return result;
            } catch (Throwable thrown) {
                trace.failed(thrown);
                throw thrown;
            }
        };
    }

    /**
     * {@code function} below {@link #beside}, called with the element's span as the current one. What its stage does
     * on other threads is up to the one who made it. Cancelling the result cancels that stage.
     */
    public <T, R> Function<Traced<T>, CompletionStage<R>> async(
            Function<? super T, ? extends CompletionStage<R>> function) {
        Objects.requireNonNull(function, "function");
        return traced -> {
            Trace trace = traced.trace();
            if (trace == null) {
                return function.apply(traced.value());
            }
            try {
                Supplier<CompletionStage<R>> call = () -> function.apply(traced.value());
                return followed(trace, trace.context().wrapSupplier(call).get());
            } catch (Throwable thrown) {
                trace.failed(thrown);
                throw thrown;
            }
        };
    }

    private static <R> CompletionStage<R> followed(Trace trace, CompletionStage<R> stage) {
        // The trace is told before the pipeline is: the span may end with what the pipeline does.
        CompletableFuture<R> told = stage.whenComplete((result, thrown) -> {
                    if (thrown == null) {
                        trace.succeeded();
                    } else {
                        trace.failed(thrown);
                    }
                })
                .toCompletableFuture();
        var unused = told.whenComplete((result, thrown) -> {
            if (told.isCancelled()) {
                boolean ignored = stage.toCompletableFuture().cancel(true);
            }
        });
        return told;
    }

    @Override
    public Source<ConsumerRecord<byte[], byte[]>> arriving(Source<ConsumerRecord<byte[], byte[]>> records) {
        return records.stage("trace", (above, context) -> new RecordStage<>(above, context.meter(), spans, true));
    }

    @Override
    public Attempt begin(ConsumerRecord<?, ?> record) {
        return Call.of(spans.inHeaders(record), record.headers());
    }

    @Override
    public void producing(ConsumerRecord<?, ?> record, ProducerRecord<?, ?> result) {
        Trace trace = TraceHeader.find(record.headers());
        if (trace != null) {
            spans.inject(trace, result.headers());
        }
    }
}
