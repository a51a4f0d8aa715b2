package dev.weir.bench.campaign;

import dev.weir.bench.BenchException;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.cluster.BrokerRelease;
import dev.weir.bench.cluster.ExistingCluster;
import dev.weir.bench.process.LibraryVersions;
import dev.weir.bench.workload.Digests;
import dev.weir.bench.workload.WorkloadPoint;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The brokers of a campaign: an existing cluster or forked brokers. Forked brokers are replaced if the next workload
 * point needs a different number or different settings. Confined to one thread, which also closes this object.
 */
final class CampaignBrokers implements AutoCloseable {
    private final Path data;
    private final @Nullable ExistingCluster existing;
    private final LibraryVersions releases;
    private final Consumer<String> doing;
    private final Consumer<String> note;
    private final BooleanSupplier isStopped;

    private @Nullable BenchCluster running;
    private String runningAs = "";

    /**
     * Creates the object without starting brokers.
     *
     * @param settings the settings, including the existing cluster or the folder for the filled topics of forked
     *     brokers
     * @param doing receives a message when brokers are about to start
     * @param note receives messages for the user
     */
    CampaignBrokers(
            CampaignRunner.Settings settings,
            Consumer<String> doing,
            Consumer<String> note,
            BooleanSupplier isStopped) {
        this.data = settings.data();
        this.existing = settings.cluster();
        this.releases = new LibraryVersions(settings.root());
        this.doing = doing;
        this.note = note;
        this.isStopped = isStopped;
    }

    /**
     * Downloads the Kafka releases that the workload points need, before anything is measured.
     *
     * @throws BenchException if a release does not exist or cannot be downloaded
     */
    void fetch(List<WorkloadPoint> points) {
        points.stream().map(WorkloadPoint::brokerVersion).distinct().forEach(this::release);
    }

    private BrokerRelease release(String version) {
        if (version.isEmpty()) {
            return BrokerRelease.OF_HARNESS;
        }
        doing.accept("fetching the brokers of Kafka " + version);
        return new BrokerRelease(version, releases.serverClassPath(version));
    }

    /** Returns the key of the brokers that a point needs. Points with equal keys can share brokers. */
    static String key(WorkloadPoint point) {
        return point.brokers() + " " + point.brokerVersion() + " " + new TreeMap<>(point.broker())
                + (point.hasDiskFaults() ? " diskFaults" : "");
    }

    /**
     * Refuses points that an existing cluster cannot satisfy.
     *
     * @throws BenchException if a point has a key that needs forked brokers; the message names the key
     */
    static void check(List<WorkloadPoint> points, @Nullable ExistingCluster existing) {
        if (existing == null) {
            return;
        }
        for (WorkloadPoint point : points) {
            String key = !point.broker().isEmpty()
                    ? "broker." + point.broker().keySet().iterator().next()
                    : !point.brokerVersion().isEmpty()
                            ? "brokerVersion"
                            : point.asksForFreshBrokers()
                                    ? "method.freshBrokers"
                                    : point.hasDiskFaults() ? "method.diskFaults" : null;
            if (key != null) {
                throw new BenchException(key + " applies only to brokers that a campaign starts: leave it out,"
                        + " or let the campaign start its own");
            }
        }
    }

    /**
     * Returns running brokers for a point. Starts or replaces brokers if necessary.
     *
     * @throws BenchException if the brokers do not start
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

    /** Returns the brokers for a run. Restarts forked brokers first if the point requires fresh ones. */
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
        BrokerRelease release = release(point.brokerVersion());
        doing.accept("starting " + point.brokers() + (point.brokers() == 1 ? " broker" : " brokers")
                + (point.brokerVersion().isEmpty() ? "" : " of " + release.name())
                + (point.broker().isEmpty() ? "" : " with " + point.broker()));
        return BenchCluster.forked(
                folder(point), point.brokers(), release, point.broker(), point.hasDiskFaults(), note, isStopped);
    }

    /**
     * Returns the data folder of a point. Points with their own broker settings or Kafka release have their own folder.
     */
    private Path folder(WorkloadPoint point) {
        String differs =
                (point.broker().isEmpty() ? "" : new TreeMap<>(point.broker()).toString()) + point.brokerVersion();
        return differs.isEmpty() ? data : data.resolve("set-" + Digests.of(differs));
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
