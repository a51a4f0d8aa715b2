package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that a stage refuses an attribute without effect, with a message that names the operators supporting it. */
class HeededAttributesTest {

    private static final Duration SHORT = Duration.ofMillis(1);
    private static final Map<String, Function<Source<Integer>, Source<?>>> OPERATORS = new TreeMap<>();

    static {
        onThreadsOfTheirOwn();
        ofTimeAndGroups();
        ofSeveralStreams();
        withoutBufferAndDispatcher();
    }

    private static void onThreadsOfTheirOwn() {
        OPERATORS.put("async", Source::async);
        OPERATORS.put("mapParallel", source -> source.mapParallel(1, n -> n));
        OPERATORS.put("mapBlocking", source -> source.mapBlocking(1, Ordering.input(), n -> n));
        OPERATORS.put("mapAsync", source -> source.mapAsync(1, CompletableFuture::completedFuture));
        OPERATORS.put(
                "scanAsync", source -> source.scanAsync(0, (sum, n) -> CompletableFuture.completedFuture(sum + n)));
        OPERATORS.put(
                "foldAsync", source -> source.foldAsync(0, (sum, n) -> CompletableFuture.completedFuture(sum + n)));
    }

    private static void ofTimeAndGroups() {
        OPERATORS.put("buffer", source -> source.buffer(1, OverflowStrategy.DROP_HEAD));
        OPERATORS.put("batch", source -> source.batch(1, n -> n, Integer::sum));
        OPERATORS.put("conflate", source -> source.conflate(Integer::sum));
        OPERATORS.put("expand", source -> source.expand(n -> List.of(n).iterator()));
        OPERATORS.put(
                "extrapolate", source -> source.extrapolate(n -> List.of(n).iterator()));
        OPERATORS.put("delay", source -> source.delay(SHORT));
        OPERATORS.put("debounce", source -> source.debounce(SHORT));
        OPERATORS.put("sample", source -> source.sample(SHORT));
        OPERATORS.put("throttle", source -> source.throttle(1000, SHORT));
        OPERATORS.put("throttlePerKey", source -> source.throttlePerKey(1000, SHORT, 1000, n -> n));
        OPERATORS.put("grouped", source -> source.grouped(2));
        OPERATORS.put("groupedWithin", source -> source.groupedWithin(2, SHORT));
        OPERATORS.put("sliding", source -> source.sliding(2, 1));
        OPERATORS.put("takeWithin", source -> source.takeWithin(Duration.ofHours(1)));
    }

    private static void ofSeveralStreams() {
        Source<Integer> other = Source.of(7);
        OPERATORS.put("merge", source -> source.merge(other));
        OPERATORS.put("mergePreferred", source -> source.mergePreferred(other));
        OPERATORS.put("mergePrioritized", source -> source.mergePrioritized(List.of(other), 1, 1));
        OPERATORS.put("mergeSorted", source -> source.mergeSorted(other, Comparator.naturalOrder()));
        OPERATORS.put("concat", source -> source.concat(other));
        OPERATORS.put("interleave", source -> source.interleave(other, 1));
        OPERATORS.put("zip", source -> source.zip(other));
        OPERATORS.put("mergeLatest", source -> source.mergeLatest(other));
        OPERATORS.put("unzip", source -> source.unzip(n -> n, n -> -n, (left, right) -> left.merge(right)));
        OPERATORS.put("zipLatest", source -> source.zipLatest(other));
        OPERATORS.put("broadcast", source -> source.<Integer>broadcast(List.of(branch -> branch, branch -> branch)));
        OPERATORS.put("balance", source -> source.balance(2, branch -> branch));
        OPERATORS.put("partition", source -> source.partition(2, n -> n % 2, branch -> branch));
        OPERATORS.put("alsoTo", source -> source.alsoTo(Sink.ignore()));
        OPERATORS.put("wireTap", source -> source.wireTap(Sink.ignore()));
        OPERATORS.put("divertTo", source -> source.divertTo(Sink.ignore(), n -> n > 1));
        OPERATORS.put("groupBy", source -> source.groupBy(n -> n, 9, group -> group));
        OPERATORS.put("flatMapMerge", source -> source.flatMapMerge(2, n -> Source.of(n)));
        OPERATORS.put("flatMapConcat", source -> source.flatMapConcat(n -> Source.of(n)));
        OPERATORS.put("switchMap", source -> source.switchMap(n -> Source.of(n)));
        OPERATORS.put("prefixAndTail", source -> source.prefixAndTail(1, (first, rest) -> rest));
        OPERATORS.put("restarted", source -> source.restarted(RestartSettings.of(Backoff.NONE), section -> section));
    }

    private static void withoutBufferAndDispatcher() {
        OPERATORS.put("map", source -> source.map(n -> n));
        OPERATORS.put("filter", source -> source.filter(n -> true));
        OPERATORS.put("mapConcat", source -> source.mapConcat(List::of));
        OPERATORS.put("fold", source -> source.fold(0, Integer::sum));
        OPERATORS.put("take", source -> source.take(9));
        OPERATORS.put("limit", source -> source.limit(9));
        OPERATORS.put("recover", source -> source.recover(failure -> null));
        OPERATORS.put("idleTimeout", source -> source.idleTimeout(Duration.ofHours(1)));
    }

    private static Optional<String> refusal(Function<Source<Integer>, Source<?>> operator, Attributes attributes) {
        try {
            operator.apply(Source.of(1, 2)).with(attributes).runTo(Sink.ignore());
            return Optional.empty();
        } catch (IllegalArgumentException refused) {
            return Optional.of(String.valueOf(refused.getMessage()));
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private static void check(String attribute, Attributes attributes) {
        List<String> heeding = new ArrayList<>();
        List<String> messages = new ArrayList<>();
        OPERATORS.forEach((name, operator) ->
                refusal(operator, attributes).ifPresentOrElse(messages::add, () -> heeding.add(name)));
        assertThat(heeding).isNotEmpty();
        assertThat(messages).isNotEmpty();
        for (String message : messages) {
            Matcher named = Pattern.compile("attribute " + attribute + ", which these use: ([^.]*)\\.")
                    .matcher(message);
            assertThat(named.find()).as(message).isTrue();
            TreeSet<String> operators = new TreeSet<>(List.of(named.group(1).split(", ")));
            operators.removeIf(each -> each.contains(" "));
            assertThat(operators).containsExactlyElementsOf(heeding);
        }
    }

    @Test
    void buffer_isRefusedByAllThatDoNotNameIt() {
        check("buffer", Attributes.NONE.withBuffer(16));
    }

    @Test
    void dispatcher_isRefusedByAllThatDoNotNameIt() {
        check("dispatcher", Attributes.NONE.withDispatcher(Dispatcher.virtual()));
    }

    @Test
    void supervision_ofAnOperatorWithoutAFunction_isRefused() {
        Attributes supervision = Attributes.NONE.withSupervision(Supervision.skip());
        List<String> heeding = new ArrayList<>();
        OPERATORS.forEach((name, operator) -> {
            if (refusal(operator, supervision).isEmpty()) {
                heeding.add(name);
            }
        });
        assertThat(heeding)
                .contains("map", "filter", "fold", "mapConcat", "mapParallel", "mapBlocking", "mapAsync", "partition")
                .contains("divertTo", "groupBy", "flatMapMerge", "conflate", "zipLatest")
                .doesNotContain(
                        "take", "limit", "async", "broadcast", "merge", "concat", "alsoTo", "grouped", "idleTimeout");
    }

    @Test
    void refusal_namesTheStage_theAttributes_andTheWayOut() {
        Source<Integer> source = Source.of(1)
                .take(1)
                .named("first")
                .with(Attributes.NONE.withBuffer(3).withSupervision(Supervision.skip()));
        assertThatThrownBy(() -> source.to(Sink.ignore()).run())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("stage first does not use the attribute buffer, which these use: ")
                .hasMessageContaining("; nor the attribute supervision")
                .hasMessageContaining("put with(...) directly below the operator that it is for");
    }

    @Test
    void sink_heedsItsDispatcher_andRefusesABuffer() throws InterruptedException {
        Sink.Loop<Integer> sink = Sink.ignore();
        Source.of(1).runTo(sink.with(Attributes.NONE.withDispatcher(Dispatcher.virtual())));
        assertThatThrownBy(() -> Source.of(1).runTo(sink.with(Attributes.NONE.withBuffer(3))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("stage ignore does not use the attribute buffer");
        assertThatThrownBy(() -> Source.of(1).runTo(sink.with(Attributes.NONE.withSupervision(Supervision.skip()))))
                .hasMessageContaining("supervision");
    }

    @Test
    void refusalWithinAStream_failsThePipeline() {
        Source<Integer> source =
                Source.of(1).flatMapConcat(n -> Source.of(n).take(1).with(Attributes.NONE.withBuffer(3)));
        assertThatThrownBy(() -> source.runTo(Sink.ignore()))
                .hasStackTraceContaining("does not use the attribute buffer");
    }
}
