package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.Lineage.Item;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** A run of a chain of steps over tracked inputs. Its sink reports each element to the lineage. */
final class TrackedRun {

    private final List<Step> chain;
    private final int inputs;
    private final Lineage lineage;
    private final List<Long> seen = new ArrayList<>();
    final TrackedSource<Item> source;

    TrackedRun(List<Step> chain, int inputs, int... batchSizes) {
        this.chain = chain;
        this.inputs = inputs;
        this.lineage = new Lineage(inputs);
        this.source = TrackedSource.of(lineage.inputs(), batchSizes).mayFinish(lineage::isDone);
    }

    private Source<Item> staged(Runnable tick) {
        Source<Item> staged = source.source();
        for (Step step : chain) {
            staged = step.staged().apply(staged, lineage, tick);
        }
        return staged;
    }

    private void arrive(Item item) {
        seen.add(item.value);
        lineage.done(item);
    }

    RunningPipeline start(Runnable tick) {
        return staged(tick)
                .to(Sink.forEach(item -> {
                    tick.run();
                    arrive(item);
                }))
                .run();
    }

    /** Starts with a sink that returns after {@code count} elements. */
    RunningPipeline startUntil(int count) {
        return staged(() -> {})
                .to(Sink.<Item>custom("until", context -> upstream -> takeUntil(count, upstream)))
                .run();
    }

    private void takeUntil(int count, Stage<Item> upstream) throws InterruptedException {
        Batch<Item> batch;
        while (seen.size() < count && (batch = upstream.pull(Stage.NEVER)) != null) {
            for (int i = 0; i < batch.size() && seen.size() < count; i++) {
                arrive(batch.get(i));
                batch.ack(i);
            }
        }
    }

    private List<Long> expected() {
        List<Long> values = LongStream.range(0, inputs).boxed().toList();
        for (Step step : chain) {
            values = step.model().apply(values);
        }
        return values;
    }

    int seenCount() {
        return seen.size();
    }

    /** Checks a run after a normal end. */
    void assertAsModelled() {
        source.assertAllFinished();
        assertSeenAsModelled();
    }

    /** Checks the output after a normal end of the chain, perhaps before the source's end. */
    void assertSeenAsModelled() {
        source.assertProtocolKept();
        if (chain.stream().allMatch(Step::keepsOrder)) {
            assertThat(seen).isEqualTo(expected());
        } else {
            assertThat(seen.stream().sorted().toList())
                    .isEqualTo(expected().stream().sorted().toList());
        }
    }

    /** Checks, after any end, that no input was finished while a derived element was in flight. */
    void assertNothingLost() {
        source.assertProtocolKept();
    }

    static void awaitEnd(RunningPipeline running) {
        running.completion().handle((report, failure) -> "ended").join();
    }
}
