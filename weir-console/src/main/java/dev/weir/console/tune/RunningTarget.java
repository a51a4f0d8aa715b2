package dev.weir.console.tune;

import dev.weir.console.ControlReport;
import dev.weir.console.internal.control.Controls;
import dev.weir.console.internal.state.Progress;
import dev.weir.metrics.LimiterProbe;
import dev.weir.stream.RunningPipeline;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A pipeline in this process. Confined to the tuning thread. */
final class RunningTarget implements TuneTarget, AutoCloseable {

    private final RunningPipeline pipeline;
    private final Controls controls = new Controls(Map.of());
    private final LimiterProbe probe;
    private final CountDownLatch never = new CountDownLatch(1);
    private final Map<String, Consumer<? super Boolean>> alternatives = new LinkedHashMap<>();
    private final Set<String> used = new HashSet<>();

    /** Creates a target for {@code pipeline}. {@code alternatives} contains alternative code by stage. */
    RunningTarget(RunningPipeline pipeline, Map<String, Consumer<? super Boolean>> alternatives) {
        this.pipeline = pipeline;
        alternatives.forEach((stage, use) -> this.alternatives.put(Moves.ALTERNATIVE + stage, use));
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
        pipeline.stages()
                .forEach(stage -> reading.stage(stage.name(), stage.elementsIn(), stage.elementsOut())
                        .work(stage.name(), stage.elementsOut(), stage.busyNanos()));
        for (Controls.Knob knob : controls.knobs()) {
            if (knob.max() >= 0) {
                reading.control(knob.key(), Long.parseLong(knob.value()), knob.min(), knob.max(), knob.dispatcher());
            }
        }
        alternatives.keySet().forEach(key -> reading.control(key, used.contains(key) ? 1 : 0, 0, 1, null));
        return (pipeline.hasEnded() ? reading.ended() : reading).build();
    }

    @Override
    public ControlReport set(Map<String, String> settings) {
        Map<String, String> ofPipeline = new LinkedHashMap<>(settings);
        Map<String, String> applied = new LinkedHashMap<>();
        settings.forEach((key, value) -> {
            Consumer<? super Boolean> use = alternatives.get(key);
            if (use != null) {
                boolean isUsed = value.equals("1");
                use.accept(isUsed);
                if (isUsed) {
                    used.add(key);
                } else {
                    used.remove(key);
                }
                ofPipeline.remove(key);
                applied.put(key, value);
            }
        });
        ControlReport report = controls.set(ofPipeline, "tuner");
        applied.putAll(report.applied());
        return ControlReport.of(applied, report.refused());
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
