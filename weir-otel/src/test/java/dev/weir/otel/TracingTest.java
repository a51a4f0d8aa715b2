package dev.weir.otel;

import static dev.weir.otel.Recorded.TRACE;
import static dev.weir.otel.Recorded.attribute;
import static dev.weir.otel.Recorded.header;
import static dev.weir.otel.Recorded.producerSpan;
import static dev.weir.otel.Recorded.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Backoff;
import dev.weir.stream.Flow;
import dev.weir.stream.Ordering;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.Source;
import dev.weir.stream.Supervision;
import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests spans and their contexts in pipelines of operators, without brokers. */
class TracingTest {

    private static final int RECORDS = 40;

    private final Recorded recorded = new Recorded();
    private final Tracing tracing = recorded.tracing;

    private static List<ConsumerRecord<String, String>> records(int count) {
        return LongStream.range(0, count)
                .mapToObj(offset -> record(offset, "k" + offset % 3, "v" + offset))
                .toList();
    }

    private Source<ConsumerRecord<String, String>> traced(int count) {
        return Source.from(records(count)).via(tracing.records());
    }

    /** The way in which the current span reaches user code in one kind of stage. */
    interface Stage {
        Source<String> under(
                Tracing tracing,
                Source<Traced<ConsumerRecord<String, String>>> records,
                Function<ConsumerRecord<String, String>, String> function);
    }

    static List<Arguments> stages() {
        return List.of(
                stage("map", (tracing, records, function) -> records.map(tracing.function(function))),
                stage(
                        "mapParallel",
                        (tracing, records, function) -> records.mapParallel(3, tracing.handler(function::apply))),
                stage(
                        "mapBlocking",
                        (tracing, records, function) ->
                                records.mapBlocking(4, Ordering.input(), tracing.handler(function::apply))),
                stage(
                        "keyed",
                        (tracing, records, function) -> records.mapBlocking(
                                4, Ordering.byKey(each -> each.value().key()), tracing.handler(function::apply))),
                stage(
                        "mapAsync",
                        (tracing, records, function) -> records.mapAsync(
                                4, tracing.async(each -> CompletableFuture.completedFuture(function.apply(each))))));
    }

    private static Arguments stage(String name, Stage stage) {
        return Arguments.of(name, stage);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("stages")
    void span_isCurrentInUserCode_belowItsProducers(String name, Stage stage) throws InterruptedException {
        Map<String, Span> seen = new ConcurrentHashMap<>();
        Map<String, String> tenants = new ConcurrentHashMap<>();
        List<String> results = stage.under(tracing, traced(RECORDS).via(tracing.beside()), each -> {
                    seen.put(each.value(), Span.current());
                    tenants.put(each.value(), String.valueOf(Baggage.current().getEntryValue("tenant")));
                    return each.value();
                })
                .toList();
        assertThat(results).hasSize(RECORDS);
        assertThat(recorded.spans()).hasSize(RECORDS);
        for (long offset = 0; offset < RECORDS; offset++) {
            SpanData span = recorded.spanOf("in", offset);
            Span current = Objects.requireNonNull(seen.get("v" + offset));
            assertThat(current.getSpanContext().getSpanId()).isEqualTo(span.getSpanId());
            assertThat(span.getTraceId()).isEqualTo(TRACE);
            assertThat(span.getParentSpanId()).isEqualTo(producerSpan(offset));
            assertThat(span.getLinks())
                    .extracting(link -> link.getSpanContext().getSpanId())
                    .containsExactly(producerSpan(offset));
            assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(span.getStatus()).isEqualTo(StatusData.unset());
            assertThat(attribute(span, "messaging.operation.type")).isEqualTo("process");
            assertThat(attribute(span, "messaging.destination.partition.id")).isEqualTo("0");
            assertThat(attribute(span, "kafka.message.key")).isEqualTo("k" + offset % 3);
        }
        assertThat(tenants.values()).containsOnly("blue").hasSize(RECORDS);
        assertThat(Span.current().getSpanContext().isValid())
                .as("nothing is current afterwards")
                .isFalse();
    }

    @Test
    void context_goesWithTheClaim_throughOperatorsThatKnowNothingOfIt() throws InterruptedException {
        List<ProducerRecord<String, String>> out = traced(6)
                .filter(each -> each.offset() % 2 == 0)
                .map(ConsumerRecord::value)
                .mapConcat(value -> List.of(value + "a", value + "b"))
                .mapBlocking(2, Ordering.unordered(), value -> new ProducerRecord<>("out", value, value))
                .via(tracing.inject())
                .toList();
        assertThat(out).hasSize(6);
        for (ProducerRecord<String, String> each : out) {
            SpanData span = recorded.spanOf("in", Long.parseLong(each.value().substring(1, 2)));
            assertThat(header(each.headers(), "traceparent")).isEqualTo("00-" + TRACE + "-" + span.getSpanId() + "-01");
            assertThat(header(each.headers(), "tracestate")).isEqualTo("vendor=7");
            assertThat(header(each.headers(), "baggage")).isEqualTo("tenant=blue");
        }
        assertThat(recorded.spans())
                .as("none for records that nobody worked on")
                .hasSize(3);
    }

    @Test
    void group_hasASpanOfItsOwn_thatLinksToItsRecords() throws InterruptedException {
        Flow<ConsumerRecord<String, String>, ConsumerRecord<String, String>> worked =
                Flow.of("worked", records -> records.via(tracing.beside()).map(tracing.function(each -> each)));
        List<String> inGroups = new ArrayList<>();
        List<ProducerRecord<String, String>> out = traced(4)
                .via(worked)
                .grouped(2)
                .via(tracing.beside())
                .map(tracing.function((List<ConsumerRecord<String, String>> group) -> {
                    inGroups.add(Span.current().getSpanContext().getSpanId());
                    return new ProducerRecord<String, String>("out", Integer.toString(group.size()));
                }))
                .via(tracing.inject())
                .toList();
        List<SpanData> groups = recorded.spans().stream()
                .filter(span -> span.getLinks().size() == 2)
                .toList();
        assertThat(recorded.spans()).hasSize(6);
        assertThat(groups).extracting(SpanData::getSpanId).containsExactlyInAnyOrderElementsOf(inGroups);
        for (int i = 0; i < 2; i++) {
            String id = inGroups.get(i);
            SpanData group = groups.stream()
                    .filter(each -> each.getSpanId().equals(id))
                    .findFirst()
                    .orElseThrow();
            assertThat(group.getParentSpanContext().isValid()).isFalse();
            assertThat(group.getLinks())
                    .extracting(LinkData::getSpanContext)
                    .containsExactly(
                            recorded.spanOf("in", 2L * i).getSpanContext(),
                            recorded.spanOf("in", 2L * i + 1).getSpanContext());
            assertThat(attribute(group, "messaging.batch.message_count")).isEqualTo(2L);
            assertThat(header(out.get(i).headers(), "traceparent")).contains(group.getTraceId() + "-" + id);
        }
    }

    @Test
    void retry_keepsTheSpan_whichIsNoErrorOnceItSucceeds() throws InterruptedException {
        Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
        List<String> spans = new ArrayList<>();
        List<String> out = traced(2)
                .via(tracing.beside())
                .mapBlocking(1, Ordering.input(), tracing.handler(each -> {
                    spans.add(Span.current().getSpanContext().getSpanId());
                    if (calls.computeIfAbsent(each.value(), value -> new AtomicInteger())
                                    .incrementAndGet()
                            < 3) {
                        throw new IllegalStateException("not yet");
                    }
                    return each.value();
                }))
                .supervised(Supervision.retry(
                        RetryPolicy.of(3, Backoff.between(Duration.ofMillis(1), Duration.ofMillis(2))),
                        Supervision.fail()))
                .toList();
        assertThat(out).containsExactly("v0", "v1");
        String first = recorded.spanOf("in", 0).getSpanId();
        String second = recorded.spanOf("in", 1).getSpanId();
        assertThat(spans).containsExactly(first, first, first, second, second, second);
        assertThat(recorded.spanOf("in", 0).getStatus()).isEqualTo(StatusData.unset());
        assertThat(recorded.spanOf("in", 0).getEvents()).hasSize(2);
    }

    @Test
    void failure_isOnTheSpan_ofARecordThatIsSkippedOrFailsThePipeline() throws InterruptedException {
        var failing = traced(3)
                .via(tracing.beside())
                .mapAsync(
                        1,
                        tracing.async(each -> each.offset() == 1
                                ? CompletableFuture.<String>failedFuture(new IllegalArgumentException("no price"))
                                : CompletableFuture.completedFuture(each.value())));
        assertThat(failing.supervised(Supervision.skip()).toList()).containsExactly("v0", "v2");
        SpanData skipped = recorded.spanOf("in", 1);
        assertThat(skipped.getStatus()).isEqualTo(StatusData.create(StatusCode.ERROR, "no price"));
        assertThat(attribute(skipped, "error.type")).isEqualTo("java.lang.IllegalArgumentException");
        assertThat(recorded.spanOf("in", 2).getStatus()).isEqualTo(StatusData.unset());

        assertThatThrownBy(failing::toList).hasStackTraceContaining("no price");
    }

    @Test
    void elements_thatCameOfNoRecord_areWorkedOnWithoutASpan() throws InterruptedException {
        List<String> out = Source.of("a", "b")
                .via(tracing.beside())
                .map(tracing.function(
                        each -> each + Span.current().getSpanContext().isValid()))
                .toList();
        assertThat(out).containsExactly("afalse", "bfalse");
        assertThat(recorded.spans()).isEmpty();
    }

    @Test
    void record_withoutContext_beginsATrace() throws InterruptedException {
        var plain = new ConsumerRecord<>("in", 3, 7, "k", "v");
        List<String> out = Source.of(plain)
                .via(tracing.inGroup("readers").records())
                .via(tracing.beside())
                .map(tracing.function(ConsumerRecord::value))
                .toList();
        assertThat(out).containsExactly("v");
        SpanData span = recorded.spanOf("in", 7);
        assertThat(span.getParentSpanContext().isValid()).isFalse();
        assertThat(span.getLinks()).isEmpty();
        assertThat(attribute(span, "messaging.consumer.group.name")).isEqualTo("readers");
    }
}
