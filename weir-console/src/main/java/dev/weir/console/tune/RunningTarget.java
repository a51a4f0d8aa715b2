package dev.weir.console.tune;

import dev.weir.console.ControlReport;
import dev.weir.console.internal.control.Controls;
import dev.weir.console.internal.state.Progress;
import dev.weir.metrics.LimiterProbe;
import dev.weir.stream.RunningPipeline;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A pipeline of this process. Confined to the thread that tunes. */
final class RunningTarget implements TuneTarget, AutoCloseable {

    private final RunningPipeline pipeline;
    private final Controls controls = new Controls(Map.of());
    private final LimiterProbe probe;
    private final CountDownLatch never = new CountDownLatch(1);

    RunningTarget(RunningPipeline pipeline) {
        this.pipeline = pipeline;
        controls.show(pipeline);
        this.probe = LimiterProbe.start(pipeline);
    }

    @Override
    public TuneReading read() {
        Progress progress = Progress.of(pipeline);
        TuneReading.Builder reading = TuneReading.builder(progress.atNanos())
                .failed(progress.failed())
                .oldest(progress.oldest())
                .heapShare(progress.heapShare())
                .backlog(progress.backlog())
                .limiter(probe.limiter());
        pipeline.stages().forEach(stage -> reading.stage(stage.name(), stage.elementsIn(), stage.elementsOut()));
        for (Controls.Knob knob : controls.knobs()) {
            if (knob.max() >= 0) {
                reading.control(knob.key(), Long.parseLong(knob.value()), knob.min(), knob.max(), knob.dispatcher());
            }
        }
        return (pipeline.completion().isDone() ? reading.ended() : reading).build();
    }

    @Override
    public ControlReport set(Map<String, String> settings) {
        return controls.set(settings, "tuner");
    }

    @Override
    public void await(Duration time) throws InterruptedException {
        boolean ignored = never.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        probe.close();
    }
}
