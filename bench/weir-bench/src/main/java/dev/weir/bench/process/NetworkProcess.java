package dev.weir.bench.process;

import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.NetworkFault;
import dev.weir.driver.Scenario;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The network of a remote member, simulated by a proxy process. It runs on the member's machine. Confined to one
 * thread.
 */
public final class NetworkProcess implements AutoCloseable {
    private static final int HEAP_MEGABYTES = 64;

    /** Duration of a pass in seconds, chosen to be longer than any run. */
    private static final double SECONDS = TimeUnit.DAYS.toSeconds(10);

    private final DriverProcess process;
    private final DriverSession session;
    private final String bootstrapServers;

    private NetworkProcess(DriverProcess process, DriverSession session, String bootstrapServers) {
        this.process = process;
        this.session = session;
        this.bootstrapServers = bootstrapServers;
    }

    /**
     * Starts a proxy that forwards all data between a member and the brokers of a cluster.
     *
     * @throws RunFailure if the proxy does not start
     */
    public static NetworkProcess beside(
            DriverProcess member, DriverLauncher launcher, BenchCluster cluster, WorkloadPoint point, Path log)
            throws InterruptedException {
        DriverProcess process = launcher.startBeside(member, DriverLauncher.PROXY, HEAP_MEGABYTES, log);
        boolean isUp = false;
        try {
            DriverSession session = new DriverSession(process, cluster, point);
            session.hello(Scenario.STEADY);
            session.configure("", 1, Scenario.STEADY, Map.of(), Map.of());
            session.start("", 0, SECONDS);
            NetworkProcess network = new NetworkProcess(process, session, session.readyAt());
            isUp = true;
            return network;
        } finally {
            if (!isUp) {
                process.close();
            }
        }
    }

    /** The broker addresses that the member uses, which are valid on the member's machine. */
    public String bootstrapServers() {
        return bootstrapServers;
    }

    /**
     * Applies a fault, which lasts until the next call.
     *
     * @throws RunFailure if the proxy is gone
     */
    public void befall(NetworkFault fault) throws InterruptedException {
        requireUp();
        session.change(fault.options());
    }

    /**
     * Checks, without waiting, that the proxy is still there.
     *
     * @throws RunFailure if the proxy has failed, with the proxy's message
     */
    public void requireUp() throws InterruptedException {
        var unused = session.poll();
    }

    @Override
    public void close() {
        process.close();
    }
}
