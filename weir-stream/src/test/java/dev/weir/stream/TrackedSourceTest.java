package dev.weir.stream;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import java.util.List;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.Test;

/** Tests that the harness detects faults. */
class TrackedSourceTest {

    private static void run(TrackedSource<Integer> source, ObjIntConsumer<Batch<Integer>> forEach) throws Exception {
        SinkLoop<Integer> loop = upstream -> {
            Batch<Integer> batch;
            while ((batch = upstream.pull(Stage.NEVER)) != null) {
                for (int i = 0; i < batch.size(); i++) {
                    forEach.accept(batch, i);
                }
            }
        };
        try (RunningPipeline running =
                source.source().to(Sink.custom("faulty", context -> loop)).run()) {
            running.await();
        }
    }

    @Test
    void ack_twice_isABreach() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(10, 3);
        run(source, (batch, i) -> {
            batch.ack(i);
            if (batch.get(i) == 4) {
                batch.ack(i);
            }
        });
        assertThatThrownBy(source::assertProtocolKept).hasMessageContaining("input 4 was acknowledged after");
    }

    @Test
    void retain_afterFinish_isABreach() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(10, 3);
        run(source, (batch, i) -> {
            batch.ack(i);
            if (batch.get(i) == 5) {
                batch.target(i).retain(batch.token(i), 1);
            }
        });
        assertThatThrownBy(source::assertProtocolKept).hasMessageContaining("input 5 was retained after");
    }

    @Test
    void ack_forgotten_isMissed() throws Exception {
        TrackedSource<Integer> source = TrackedSource.numbers(10, 3);
        run(source, (batch, i) -> {
            if (batch.get(i) != 6) {
                batch.ack(i);
            }
        });
        source.assertProtocolKept();
        assertThatThrownBy(source::assertAllFinished).hasMessageContaining("never acknowledged");
    }

    @Test
    void ack_beforeTheDescendantsAreDone_isABreach() {
        TrackedRun run = new TrackedRun(List.of(), 10, 3);
        RunningPipeline running = run.source
                .source()
                .mapConcat(item -> List.of(item, item))
                .to(Sink.ignore())
                .run();
        TrackedRun.awaitEnd(running);
        assertThatThrownBy(run::assertNothingLost).hasMessageContaining("finished before what came of it");
    }
}
