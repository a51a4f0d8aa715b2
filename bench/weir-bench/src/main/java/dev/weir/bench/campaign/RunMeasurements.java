package dev.weir.bench.campaign;

import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.live.OrderDesk;
import dev.weir.bench.measurement.DriverPasses;
import dev.weir.bench.measurement.GeneratorFailure;
import dev.weir.bench.measurement.LiveListener;
import dev.weir.bench.measurement.LiveMeasurement;
import dev.weir.bench.measurement.LiveSteady;
import dev.weir.bench.measurement.Measurement;
import dev.weir.bench.measurement.RunNumbers;
import dev.weir.bench.measurement.SteadyMeasurement;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.result.Phase;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Scenario;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * Measures the runs of a campaign one after another. The workload point selects the kind of measurement. Runs with
 * changeable settings accept commands while they are measured. Confined to one thread.
 */
final class RunMeasurements {
    private final Workload workload;
    private final CampaignRunner.Settings settings;
    private final CampaignListener listener;
    private final DriverLauncher launcher;

    /** Creates the measurements. The caller closes the launcher. */
    RunMeasurements(
            Workload workload, CampaignRunner.Settings settings, CampaignListener listener, DriverLauncher launcher) {
        this.workload = workload;
        this.settings = settings;
        this.listener = listener;
        this.launcher = launcher;
    }

    /**
     * Measures a run and logs the output of its processes.
     *
     * @throws RunFailure if the run has no result
     */
    Measured measure(BenchCluster cluster, CampaignTopics topics, RunOrder.Step step, Path log, long seed)
            throws InterruptedException {
        WorkloadPoint point = step.point();
        String topic = topics.ofRun(point, log);
        String driver = CampaignRunner.withoutControl(step.driver());
        boolean isBaseline = driver.equals(workload.baseline());
        if (point.isChangeable()) {
            return changeable(cluster, step, topic, log, seed);
        }
        try (DriverProcess process = launcher.start(driver, point.heapMegabytes(), log)) {
            if (!point.isPlanned()) {
                return new Measurement(new DriverPasses(process, cluster, point), point, isBaseline).run(topic);
            }
            if (point.scenario() == Scenario.PRODUCE) {
                return refusing(
                        step,
                        "its driver follows its own send plan, which cannot be changed",
                        () -> new SteadyMeasurement(process, null, cluster, point, isBaseline).run(topic, seed));
            }
            try (DriverProcess generator = launcher.start(SteadyMeasurement.GENERATOR, point.heapMegabytes(), log)) {
                SteadyMeasurement steady = new SteadyMeasurement(process, generator, cluster, point, isBaseline);
                return point.isLive()
                        ? live(steady, cluster, step, topic, seed)
                        : refusing(step, "set method.live: true in its workload file", () -> steady.run(topic, seed));
            }
        }
    }

    private Measured live(SteadyMeasurement steady, BenchCluster cluster, RunOrder.Step step, String topic, long seed)
            throws InterruptedException {
        try (OrderDesk desk = OrderDesk.open(settings.results(), step.key().fileName())) {
            LiveSteady orders = new LiveSteady(step.point(), cluster, desk, workload.timeline(), hears());
            return steady.run(topic, seed, orders, RunNumbers.of(launcher, desk.numbers(), step.point()));
        }
    }

    private interface Task {
        Measured run() throws InterruptedException;
    }

    /** Runs a task and refuses all commands meanwhile, for the given reason. */
    private Measured refusing(RunOrder.Step step, String why, Task task) throws InterruptedException {
        OrderDesk desk = null;
        try {
            desk = OrderDesk.refusing(
                    settings.results(),
                    step.key().fileName(),
                    "a run of scenario " + step.point().scenario().label() + " takes no orders: " + why);
        } catch (RunFailure e) {
            listener.note(String.valueOf(e.getMessage()));
        }
        try {
            return task.run();
        } finally {
            if (desk != null) {
                desk.close();
            }
        }
    }

    private LiveListener hears() {
        return new LiveListener() {
            @Override
            public void second(Phase second, Map<String, Double> series) {
                listener.second(second, series);
            }

            @Override
            public void changed(double atMillis, String what) {
                listener.note(String.format(Locale.ROOT, "%.1f s, %s", atMillis / 1e3, what));
            }
        };
    }

    private Measured changeable(BenchCluster cluster, RunOrder.Step step, String topic, Path log, long seed)
            throws InterruptedException {
        String driver = CampaignRunner.withoutControl(step.driver());
        try (OrderDesk desk = OrderDesk.open(settings.results(), step.key().fileName())) {
            return new LiveMeasurement(
                            launcher, driver, cluster, step.point(), workload.timeline(), log, desk.numbers(), hears())
                    .run(topic, seed, desk);
        } catch (GeneratorFailure e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }
}
