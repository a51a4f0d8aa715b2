package dev.weir.bench.campaign;

import dev.weir.bench.BenchException;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.cluster.ExistingCluster;
import dev.weir.bench.workload.Digests;
import dev.weir.bench.workload.WorkloadPoint;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The brokers of a campaign: those of a cluster that is there already, or as many as a point asks for, with its
 * settings, which are started when a point needs other ones than the point before. Confined to one thread,
 * which closes it.
 */
final class CampaignBrokers implements AutoCloseable {
    private final Path data;
    private final @Nullable ExistingCluster existing;
    private final Consumer<String> doing;
    private final Consumer<String> note;
    private final BooleanSupplier isStopped;

    private @Nullable BenchCluster running;
    private String runningAs = "";

    /**
     * None yet.
     *
     * @param data where brokers that are started keep filled topics
     * @param existing whose brokers there are; null to start some
     * @param doing hears of each start
     * @param note is told what a user should know of them
     */
    CampaignBrokers(
            Path data,
            @Nullable ExistingCluster existing,
            Consumer<String> doing,
            Consumer<String> note,
            BooleanSupplier isStopped) {
        this.data = data;
        this.existing = existing;
        this.doing = doing;
        this.note = note;
        this.isStopped = isStopped;
    }

    /** A text that is equal for points with the same brokers. */
    static String key(WorkloadPoint point) {
        return point.brokers() + " " + new TreeMap<>(point.broker());
    }

    /**
     * Refuses points that the brokers of a cluster that is there already cannot be.
     *
     * @throws BenchException naming the key
     */
    static void check(List<WorkloadPoint> points, @Nullable ExistingCluster existing) {
        if (existing == null) {
            return;
        }
        for (WorkloadPoint point : points) {
            if (!point.broker().isEmpty() || point.asksForFreshBrokers()) {
                throw new BenchException(
                        (point.broker().isEmpty()
                                        ? "method.freshBrokers is"
                                        : "broker."
                                                + point.broker()
                                                        .keySet()
                                                        .iterator()
                                                        .next() + " is")
                                + " of brokers that a campaign starts: leave it out, or let the campaign start its own brokers");
            }
        }
    }

    /**
     * The brokers of a point, running.
     *
     * @throws BenchException if they do not come up
     */
    BenchCluster at(WorkloadPoint point) {
        BenchCluster now = running;
        String wanted = existing == null ? key(point) : "";
        if (now != null && runningAs.equals(wanted)) {
            return now;
        }
        close();
        BenchCluster started = started(point);
        running = started;
        runningAs = wanted;
        return started;
    }

    /** The same; started anew if the point asks for it. */
    BenchCluster forRun(WorkloadPoint point) {
        if (point.asksForFreshBrokers() && existing == null) {
            close();
        }
        return at(point);
    }

    private BenchCluster started(WorkloadPoint point) {
        ExistingCluster cluster = existing;
        if (cluster != null) {
            doing.accept("connecting to " + cluster.bootstrapServers());
            return BenchCluster.existing(cluster, note, isStopped);
        }
        doing.accept("starting " + point.brokers() + (point.brokers() == 1 ? " broker" : " brokers")
                + (point.broker().isEmpty() ? "" : " with " + point.broker()));
        return BenchCluster.forked(folder(point.broker()), point.brokers(), point.broker(), note, isStopped);
    }

    /** Brokers with other settings may keep their logs in another way. */
    private Path folder(Map<String, String> config) {
        return config.isEmpty() ? data : data.resolve("set-" + Digests.of(new TreeMap<>(config).toString()));
    }

    @Override
    public void close() {
        BenchCluster now = running;
        running = null;
        if (now != null) {
            now.close();
        }
    }
}
