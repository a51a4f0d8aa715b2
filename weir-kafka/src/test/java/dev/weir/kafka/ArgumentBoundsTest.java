package dev.weir.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Backoff;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import dev.weir.stream.RetryPolicy;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that numbers, durations and names out of bounds are refused early, with a message that contains the parameter's
 * name and the value.
 */
class ArgumentBoundsTest {

    private static final int MAX = Integer.MAX_VALUE;
    private static final Duration ZERO = Duration.ZERO;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();
    private static final Subscription ORDERS = Subscription.topics("orders");
    private static final KafkaFlow<byte[], byte[]> FLOW =
            KafkaFlow.from(settings().build(), ORDERS);

    private static ConsumerSettings.Builder<byte[], byte[]> settings() {
        return ConsumerSettings.builder().bootstrapServers("localhost:9");
    }

    private static Arguments row(String expected, ThrowingCallable call) {
        return Arguments.of(expected, call);
    }

    static Stream<Arguments> ofSettings() {
        return Stream.of(
                row("commitInterval=PT0S", () -> settings().commitInterval(ZERO).build()),
                row(
                        "commitInterval=" + FOREVER,
                        () -> settings().commitInterval(FOREVER).build()),
                row(
                        "connectTimeout=PT-1S",
                        () -> settings().connectTimeout(Duration.ofSeconds(-1)).build()),
                row(
                        "revokeDeadline=" + FOREVER,
                        () -> settings().revokeDeadline(FOREVER).build()),
                row("commitRecords=0", () -> settings().commitRecords(0).build()),
                row(
                        "maxOutstandingRecords=" + MAX,
                        () -> settings().maxOutstandingRecords(MAX).build()),
                row(
                        "commitMetadataChars=-1",
                        () -> settings().commitMetadataChars(-1).build()),
                row("bufferBytes=0", () -> settings().bufferBytes(0).build()),
                row("bootstrap.servers", () -> settings().bootstrapServers(" ").build()),
                row("group.id is blank", () -> settings().groupId("").build()),
                row("by_duration:PT-1H", () -> reset("by_duration:PT-1H")),
                row("by_duration:one day", () -> reset("by_duration:one day")),
                row("offset=-1", () -> Position.offset(-1)),
                row("instant=1969", () -> Position.time(Instant.EPOCH.minusMillis(1))),
                row("instant=" + Instant.MAX, () -> Position.time(Instant.MAX)),
                row("topics=[]", () -> Subscription.topics(List.of())),
                row("not blank", () -> Subscription.topics("")),
                row("partitions=[]", () -> Subscription.partitions(List.of())),
                row("pattern=(", () -> Subscription.pattern("(")));
    }

    private static ConsumerSettings<byte[], byte[]> reset(String value) {
        return settings()
                .property(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, value)
                .build();
    }

    static Stream<Arguments> ofFlows() {
        return Stream.of(
                row(
                        "commitAhead=0",
                        () -> KafkaSource.from(settings().build(), ORDERS).atMostOnce(0)),
                row("parallelism=0", () -> FLOW.handle(0, Ordering.input(), record -> record)),
                row("concurrency=" + MAX, () -> FLOW.handle(MAX, Ordering.input(), record -> record)),
                row(
                        "concurrency=" + MAX,
                        () -> FLOW.handle(Parallelism.adaptive(1, MAX), Ordering.input(), record -> record)),
                row("parallelism=-1", () -> FLOW.forEach(-1, Ordering.input(), record -> {})),
                row("parallelism=" + MAX, () -> FLOW.handleAsync(MAX, Ordering.input(), any -> done())),
                row("timeout=PT0S", () -> handled().timeout(ZERO)),
                row("timeout=" + FOREVER, () -> handled().timeout(FOREVER)),
                row("topic=", () -> handled().deadLetter(" ")),
                row("topic= ", () -> RetryTopics.of(" ", SECOND)),
                row("delay=PT0S", () -> RetryTopics.of("later", ZERO)),
                row("delay=" + FOREVER, () -> RetryTopics.of("later", FOREVER)),
                row("attempts=0", () -> handled().retry(RetryPolicy.of(0, Backoff.NONE))),
                row("share=0.0", () -> CircuitBreaker.failureRate(0, 1, SECOND)),
                row("share=NaN", () -> CircuitBreaker.failureRate(Double.NaN, 1, SECOND)),
                row("calls=0", () -> CircuitBreaker.consecutive(0, SECOND)),
                row("calls=" + MAX, () -> CircuitBreaker.consecutive(MAX, SECOND)),
                row("openFor=PT0S", () -> CircuitBreaker.consecutive(1, ZERO)),
                row("probes=0", () -> CircuitBreaker.consecutive(1, SECOND).withProbes(0)));
    }

    private static CompletableFuture<String> done() {
        return CompletableFuture.completedFuture("done");
    }

    private static HandledFlow<byte[], byte[], String> handled() {
        return FLOW.handle(1, Ordering.input(), record -> "done");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource({"ofSettings", "ofFlows"})
    void argumentOutOfBounds_isRefusedByTheCall(String expected, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(expected);
    }

    @Test
    void offsetReset_byADurationBeyondAllTime_isFromTheFirstRecordOn() {
        assertThat(reset("by_duration:PT2562047788015215H").startWithoutCommit())
                .isEqualTo(Position.time(Instant.EPOCH));
    }

    @Test
    void circuitBreaker_openForEver_staysOpen() throws InterruptedException {
        VirtualClock clock = new VirtualClock();
        CircuitBreaker breaker = CircuitBreaker.consecutive(1, FOREVER).on(clock);
        breaker.failed(breaker.acquire(), new IllegalStateException("down"));
        clock.advance(Duration.ofDays(36_499));
        assertThat(breaker.state()).isEqualTo(CircuitBreaker.State.OPEN);
    }

    @Test
    void builder_usedAgain_leavesWhatItBuilt() {
        ConsumerSettings.Builder<byte[], byte[]> builder = settings();
        ConsumerSettings<byte[], byte[]> built = builder.build();
        builder.bootstrapServers("elsewhere:9").commitRecords(1);
        assertThat(built.properties()).containsEntry("bootstrap.servers", "localhost:9");
        assertThat(built.commitRecords()).isGreaterThan(1);
    }
}
