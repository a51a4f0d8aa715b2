package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.Supervision.Decision;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SourceFactory;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.testing.VirtualClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Runs the examples of docs/guide/failures.md and of the operators' Javadoc. */
class FailureExamplesTest {

    private final Source<String> lines = Source.of("1", "x", "3");
    private final AtomicInteger calls = new AtomicInteger();

    private static <T> List<T> collect(Source<T> source) throws InterruptedException {
        List<T> seen = new ArrayList<>();
        try (RunningPipeline running = source.to(Sink.forEach(seen::add)).run()) {
            running.await();
        }
        return seen;
    }

    @Test
    void skip() throws Exception {
        Source<Integer> numbers = lines.map(Integer::parseInt).supervised(Supervision.skip());
        assertThat(collect(numbers)).containsExactly(1, 3);
    }

    @Test
    void byException() throws Exception {
        Supervision byException = Supervision.of(failure -> switch (failure) {
            case NumberFormatException malformed -> Decision.SKIP;
            case TimeoutException later -> Decision.SKIP_UNACKNOWLEDGED;
            default -> Decision.FAIL;
        });
        assertThat(collect(lines.map(Integer::parseInt).supervised(byException)))
                .containsExactly(1, 3);
        assertThatThrownBy(() ->
                        collect(lines.map(line -> 1 / (line.length() - 1)).supervised(byException)))
                .isInstanceOf(ArithmeticException.class);
    }

    private record Order(String customer) {}

    private String book(Order order) throws IOException {
        if (calls.incrementAndGet() == 1) {
            throw new IOException("busy");
        }
        return order.customer + " booked";
    }

    @Test
    void retry() throws Exception {
        Source<Order> orders = Source.of(new Order("a"), new Order("a"));
        Source<String> replies = orders.mapBlocking(64, Ordering.byKey(Order::customer), this::book)
                .supervised(Supervision.retry(
                        RetryPolicy.of(5, Backoff.between(Duration.ofMillis(100), Duration.ofSeconds(5)))
                                .on(IOException.class),
                        Supervision.fail()));
        assertThat(collect(replies)).containsExactly("a booked", "a booked");
        assertThat(calls).hasValue(3);
    }

    @Test
    void recoveries() throws Exception {
        Source<Integer> primary = Source.of(1, 2).map(n -> {
            if (n == 2) {
                throw new UncheckedIOException(new IOException("gone"));
            }
            return n;
        });
        Source<Integer> replica = Source.of(7, 8);
        Source<Integer> endsWithMinusOne = lines.map(Integer::parseInt).recover(failure -> -1);
        Source<Integer> endsQuietly =
                lines.map(Integer::parseInt).onErrorComplete(NumberFormatException.class::isInstance);
        Source<Integer> saysWhere =
                lines.map(Integer::parseInt).mapError(failure -> new IllegalStateException("in orders", failure));
        Source<Integer> hasASpare =
                primary.recoverWith(1, failure -> failure instanceof UncheckedIOException ? replica : null);
        assertThat(collect(endsWithMinusOne)).containsExactly(1, -1);
        assertThat(collect(endsQuietly)).containsExactly(1);
        assertThatThrownBy(() -> collect(saysWhere)).hasMessage("in orders");
        assertThat(collect(hasASpare)).containsExactly(1, 7, 8);
    }

    private record Reading(int value) {}

    private Reading decode(Integer raw) {
        return new Reading(raw);
    }

    @Test
    void restart() throws Exception {
        SourceFactory<Integer> sensor = context -> new Stage<>() {
            private final boolean flaky = calls.incrementAndGet() == 1;
            private int next = 1;

            @Override
            public @Nullable Batch<Integer> pull(long deadlineNanos) {
                if (flaky && next == 2) {
                    throw new IllegalStateException("connection lost");
                }
                return next > 3 ? null : Batch.unacknowledged(new Object[] {next++}, 1);
            }

            @Override
            public void close() {}
        };
        Source<Reading> readings = Source.custom("sensor", sensor)
                .map(this::decode)
                .restarted(RestartSettings.of(Backoff.between(Duration.ofSeconds(1), Duration.ofMinutes(1)))
                        .atMost(20, Duration.ofHours(1)));
        List<Reading> seen = new ArrayList<>();
        VirtualClock clock = new VirtualClock();
        RunningPipeline running = readings.to(Sink.forEach(seen::add)).on(clock).run();
        clock.awaitWaiters(1);
        clock.advance(Duration.ofSeconds(1));
        running.await();
        assertThat(seen).containsExactly(new Reading(1), new Reading(1), new Reading(2), new Reading(3));
    }

    private record Receipt(int order) {}

    /** A session. The first session is broken. */
    private final class Session {

        Receipt send(int order) {
            if (sessions.get() == 1) {
                throw new IllegalStateException("connection reset");
            }
            return new Receipt(order);
        }
    }

    private final AtomicInteger sessions = new AtomicInteger();

    private Session session() {
        sessions.incrementAndGet();
        return new Session();
    }

    @Test
    void restartedSection_getsItsInputsAgain() throws Exception {
        Source<Integer> orders = Source.of(1, 2, 3);
        Source<Receipt> receipts = orders.restarted(
                RestartSettings.of(Backoff.between(Duration.ofSeconds(1), Duration.ofMinutes(1))),
                section -> section.map(order -> session().send(order)));
        List<Receipt> seen = new ArrayList<>();
        VirtualClock clock = new VirtualClock();
        RunningPipeline running = receipts.to(Sink.forEach(seen::add)).on(clock).run();
        clock.awaitWaiters(1);
        clock.advance(Duration.ofSeconds(1));
        running.await();
        assertThat(seen).containsExactly(new Receipt(1), new Receipt(2), new Receipt(3));
    }

    @Test
    void timeout_andKeepAlive() throws Exception {
        HandFedSource<Integer> fed = new HandFedSource<>();
        Source<Integer> heartbeats = fed.source();
        Source<Integer> watched = heartbeats.idleTimeout(Duration.ofSeconds(30)).recover(timeout -> -1);
        Source<Integer> beating = heartbeats.keepAlive(Duration.ofSeconds(1), () -> 0);
        List<Integer> seen = new CopyOnWriteArrayList<>();
        VirtualClock clock = new VirtualClock();
        RunningPipeline running = watched.to(Sink.forEach(seen::add)).on(clock).run();
        clock.awaitWaiters(1);
        clock.advance(Duration.ofSeconds(30));
        running.await();
        running = beating.to(Sink.forEach(n -> {
                    seen.add(n);
                    fed.complete();
                }))
                .on(clock)
                .run();
        clock.awaitWaiters(1);
        clock.advance(Duration.ofSeconds(1));
        running.await();
        assertThat(seen).containsExactly(-1, 0);
    }

    @Test
    void watch_andKillSwitch() throws Exception {
        TrackedSource<Integer> orderBook = TrackedSource.numbers(0, 1).heldOpen();
        TrackedSource<Integer> paymentBook = TrackedSource.numbers(0, 1).heldOpen();
        Source<Integer> orders = orderBook.source();
        Source<Integer> payments = paymentBook.source();
        KillSwitch shop = new KillSwitch();
        List<StreamEnd> ends = new CopyOnWriteArrayList<>();
        RunningPipeline orderDesk =
                orders.via(shop).watch(ends::add).to(Sink.ignore()).run();
        RunningPipeline cashDesk = payments.via(shop).to(Sink.ignore()).run();
        shop.shutdown();
        orderDesk.await();
        cashDesk.await();
        assertThat(ends).containsExactly(new StreamEnd.Completed());
    }

    @Test
    void page_showsNothingThatIsNotHere() throws IOException {
        String here = squeezed(Files.readString(Path.of("src/test/java/dev/weir/stream/FailureExamplesTest.java")));
        String page = Files.readString(Path.of("../docs/guide/failures.md"));
        List<String> snippets = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(page)
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(snippets).hasSizeGreaterThan(5);
        assertThat(snippets).allSatisfy(snippet -> assertThat(here).contains(squeezed(snippet)));
    }

    private static String squeezed(String code) {
        return code.replaceAll("\\s+", "");
    }
}
