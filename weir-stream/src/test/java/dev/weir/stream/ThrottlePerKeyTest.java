package dev.weir.stream;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.SinkProbe;
import dev.weir.stream.testing.SourceProbe;
import dev.weir.stream.testing.VirtualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a rate for each key, with few elements in simulated time and with many elements. */
class ThrottlePerKeyTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TICK = Duration.ofNanos(1);

    private final VirtualClock clock = new VirtualClock();
    private final SourceProbe<String> in = new SourceProbe<>();
    private final List<RunningPipeline> started = new ArrayList<>();

    private SinkProbe<String> run(Function<Source<String>, Source<String>> stage) {
        SinkProbe<String> out = new SinkProbe<String>().requestAll();
        started.add(stage.apply(in.source()).to(out.sink()).on(clock).run());
        return out;
    }

    /** Limits each first character to one element per second, with a burst of two. */
    private static Source<String> slow(Source<String> source, int maxHeld) {
        return source.throttlePerKey(1, SECOND, 2, name -> name.charAt(0), maxHeld);
    }

    @AfterEach
    void end() throws Exception {
        for (RunningPipeline running : started) {
            running.cancel();
            TrackedRun.awaitEnd(running);
            in.awaitClose();
        }
    }

    private void advanceExactly(Duration by, SinkProbe<?> out) {
        clock.advance(by.minus(TICK));
        out.expectNothing();
        clock.advance(TICK);
    }

    @Test
    void keys_withinTheirBurst_passAtOnceTheOthersWaitTheirTime() throws Exception {
        SinkProbe<String> out = run(source -> slow(source, 100));
        in.emit("a1", "a2", "a3", "b1", "a4", "b2", "b3").awaitPull();
        assertThat(out.expectNext(4)).containsExactly("a1", "a2", "b1", "b2");
        advanceExactly(SECOND, out);
        assertThat(out.expectNext(2)).containsExactly("a3", "b3");
        in.awaitPull();
        advanceExactly(SECOND, out);
        assertThat(out.expectNext()).isEqualTo("a4");
    }

    @Test
    void hotKey_doesNotHoldUpOthersThatComeLater() throws Exception {
        SinkProbe<String> out = run(source -> slow(source, 100));
        in.emit("a1", "a2", "a3", "a4", "a5").awaitPull();
        assertThat(out.expectNext(2)).containsExactly("a1", "a2");
        in.emit("b1", "a6", "c1").awaitPull();
        assertThat(out.expectNext(2)).containsExactly("b1", "c1");
        assertThat(in.unacknowledged()).containsExactlyInAnyOrder("a3", "a4", "a5", "a6");
    }

    @Test
    void hotKey_thatFillsTheRoom_holdsUpAllUntilOneOfItGoes() throws Exception {
        in.emit("a1", "a2", "a3", "a4").emit("b1");
        SinkProbe<String> out = run(source -> slow(source, 2));
        assertThat(out.expectNext(2)).containsExactly("a1", "a2");
        clock.awaitWaiters(1);
        assertThat(in.untaken()).isEqualTo(1);
        advanceExactly(SECOND, out);
        assertThat(out.expectNext(2)).containsExactly("a3", "b1");
    }

    /** The time of a3 comes while the stage pulls other elements of the same key. */
    @Test
    void elementWhoseTimeHasCome_isNotOvertakenByOneOfItsKey() throws Exception {
        Iterator<List<String>> batches =
                List.of(List.of("a1", "a2", "a3"), List.of("b1", "a4", "a5")).iterator();
        Source<String> late = Source.custom("late", context -> new Stage<String>() {
            @Override
            public @Nullable Batch<String> pull(long deadlineNanos) {
                if (!batches.hasNext()) {
                    return null;
                }
                clock.advance(Duration.ofSeconds(10));
                List<String> names = batches.next();
                return Batch.unacknowledged(names.toArray(), names.size());
            }

            @Override
            public void close() {}
        });
        List<String> seen = new ArrayList<>();
        try (RunningPipeline running =
                slow(late, 100).to(Sink.forEach(seen::add)).on(clock).run()) {
            running.await();
        }
        assertThat(seen).containsExactly("a1", "a2", "a3", "b1", "a4", "a5");
    }

    @Test
    void endAndFailure_waitBehindWhatIsHeld() throws Exception {
        SinkProbe<String> out = run(source -> slow(source, 100));
        in.emit("a1", "a2", "a3").fail(new IllegalStateException("above"));
        assertThat(out.expectNext(2)).containsExactly("a1", "a2");
        clock.awaitWaiters(1);
        advanceExactly(SECOND, out);
        assertThat(out.expectNext()).isEqualTo("a3");
        assertThat(out.expectFailure()).hasMessage("above");
        assertThat(in.unacknowledged()).isEmpty();
    }

    @Test
    void cancel_leavesWhatIsHeldUnacknowledged() throws Exception {
        SinkProbe<String> out = run(source -> slow(source, 100));
        in.emit("a1", "a2", "a3", "b1").awaitPull();
        assertThat(out.expectNext(3)).containsExactly("a1", "a2", "b1");
        started.get(0).cancel();
        TrackedRun.awaitEnd(started.get(0));
        assertThat(in.unacknowledged()).containsExactly("a3");
    }

    @Test
    void failingKey_failsAtOnceBehindWhatPassed() throws Exception {
        SinkProbe<String> out = run(source -> source.throttlePerKey(1, SECOND, 1, name -> {
            if (name.isEmpty()) {
                throw new IllegalArgumentException("no name");
            }
            return name.charAt(0);
        }));
        in.emit("a1", "a2", "b1", "", "c1");
        assertThat(out.expectNext(2)).containsExactly("a1", "b1");
        assertThat(out.expectFailure()).hasMessage("no name");
        assertThat(in.unacknowledged()).containsExactly("a2", "", "c1");
    }

    @Test
    @SuppressWarnings("NullAway") // the point of the test
    void missingKey_isSupervisedAsAnExceptionIs() throws Exception {
        Map<String, String> keys = Map.of("a", "A");
        SinkProbe<String> out = run(source -> source.throttlePerKey(1, SECOND, 9, keys::get)
                .with(Attributes.NONE.withSupervision(Supervision.skip())));
        in.emit("a", "b", "a").awaitPull();
        assertThat(out.expectNext(2)).containsExactly("a", "a");
        assertThat(in.unacknowledged()).isEmpty();
    }

    @Test
    void byteArrays_areTheSameKeyByContent() throws Exception {
        SinkProbe<String> out = run(source ->
                source.throttlePerKey(1, SECOND, 1, name -> name.substring(0, 1).getBytes(UTF_8)));
        in.emit("a1", "b1", "a2").awaitPull();
        assertThat(out.expectNext(2)).containsExactly("a1", "b1");
        advanceExactly(SECOND, out);
        assertThat(out.expectNext()).isEqualTo("a2");
    }

    @Test
    void settings_outOfBounds_areRefused() {
        Source<String> source = in.source();
        assertThatThrownBy(() -> slow(source, 0)).hasMessage("maxHeld must be at least 1: maxHeld=0");
        assertThatThrownBy(() -> source.throttlePerKey(0, SECOND, 1, name -> name))
                .hasMessageContaining("elements=0");
        assertThatThrownBy(() -> source.throttlePerKey(1, SECOND, 0, name -> name))
                .hasMessageContaining("burst=0");
        assertThatThrownBy(() -> source.throttlePerKey(1, Duration.ZERO, 1, name -> name))
                .hasMessageContaining("per=PT0S");
        assertThatThrownBy(() -> source.throttlePerKey(1, SECOND, Long.MAX_VALUE, name -> name))
                .hasMessageContaining("burst=");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 512})
    void keys_ofManyElements_keepTheirOrderAndTheirRate(int batchSize) throws Exception {
        int keys = 20;
        int perKey = 60;
        int burst = 10;
        Duration perElement = Duration.ofMillis(2);
        TrackedSource<Integer> source = TrackedSource.numbers(keys * perKey, batchSize);
        Map<Integer, List<Integer>> seen = new HashMap<>();
        AtomicLong tooEarly = new AtomicLong();
        long start = System.nanoTime();
        try (RunningPipeline running = source.source()
                .throttlePerKey(1, perElement, burst, n -> n % keys, 50)
                .to(Sink.forEach(n -> {
                    List<Integer> ofKey = seen.computeIfAbsent(n % keys, key -> new ArrayList<>());
                    long earliest = (ofKey.size() + 1 - burst) * perElement.toNanos();
                    if (System.nanoTime() - start < earliest) {
                        tooEarly.incrementAndGet();
                    }
                    ofKey.add(n);
                }))
                .run()) {
            running.await();
        }
        source.assertAllFinished();
        assertThat(tooEarly).hasValue(0);
        assertThat(seen).hasSize(keys);
        seen.values().forEach(ofKey -> assertThat(ofKey).hasSize(perKey).isSorted());
    }
}
