package dev.weir.bench.measurement;

import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Scenario;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The generator of a changeable run. Confined to the thread of the run, which closes it. */
final class LiveSender implements AutoCloseable {
    private final WorkloadPoint point;
    private final DriverProcess process;
    private final DriverSession session;

    LiveSender(DriverLauncher launcher, BenchCluster cluster, WorkloadPoint point, Path log) {
        this.point = point;
        this.process = launcher.start(SteadyMeasurement.GENERATOR, point.heapMegabytes(), log);
        this.session = new DriverSession(process, cluster, point);
    }

    DriverSession session() {
        return session;
    }

    void hello() throws InterruptedException {
        session.hello(Scenario.PRODUCE);
    }

    long begin(TrialMembers members, String topic, long seed, double rate) throws InterruptedException {
        session.configure(
                topic,
                RunNumbers.MOST_RECORDS - 1,
                Scenario.PRODUCE,
                point.producer(),
                GeneratorPlan.held(point, seed));
        members.startGenerator(LiveGroup.SECONDS);
        return GeneratorPlan.begin(session, rate);
    }

    void send(double rate) {
        GeneratorPlan.change(session, System.nanoTime(), rate);
    }

    /** Sends at {@code rate} for {@code seconds} seconds, and at the rate {@code then} afterwards. */
    void send(double rate, double seconds, double then) {
        long nanos = System.nanoTime();
        GeneratorPlan.change(session, nanos, rate);
        GeneratorPlan.change(session, nanos + (long) (seconds * TimeUnit.SECONDS.toNanos(1)), then);
    }

    @Override
    public void close() {
        process.close();
    }
}
