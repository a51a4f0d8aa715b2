package dev.weir.checks.integration;

import dev.weir.bench.campaign.CampaignListener;
import dev.weir.bench.campaign.CampaignRunner;
import dev.weir.bench.campaign.ExploreListener;
import dev.weir.bench.campaign.ExploreRunner;
import dev.weir.bench.cluster.ExistingCluster;
import dev.weir.bench.environment.BenchEnvironment;
import dev.weir.bench.explore.Trial;
import dev.weir.bench.result.Explored;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.workload.Workload;
import dev.weir.testkit.FaultProxy;
import dev.weir.testkit.KafkaCluster;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;

/** Runs campaigns on one broker in this JVM, which starts faster than a forked one. Confined to one thread. */
final class BenchAtCluster implements AutoCloseable {

    static final CampaignListener SILENT = new CampaignListener() {
        @Override
        public void note(String line) {}

        @Override
        public void status(String doing, int runsDone, int runs, @Nullable Duration remaining) {}

        @Override
        public void finished(Run run, int runsDone, int runs) {}
    };

    private static final ExploreListener SILENT_TOO = new ExploreListener() {
        @Override
        public void note(String line) {}

        @Override
        public void status(String doing, double seconds) {}

        @Override
        public void tried(String driver, String point, int number, Trial trial) {}

        @Override
        public void finished(Explored explored) {}
    };

    private final Path folder;
    private final KafkaCluster cluster = KafkaCluster.builder().start();

    BenchAtCluster(Path folder) {
        this.folder = folder;
    }

    ResultsFolder run(String yaml) throws InterruptedException {
        return run(Path.of(System.getProperty("weir.root")), yaml);
    }

    /** Runs a workload with the drivers built below {@code root}, and returns its results. */
    ResultsFolder run(Path root, String yaml) throws InterruptedException {
        Workload workload = Workload.parse("test", yaml, false);
        return new CampaignRunner(workload, settings(root, workload, existing()), SILENT).run();
    }

    /** Runs a workload whose clients reach the cluster through a fault proxy, and returns its results. */
    ResultsFolder run(FaultProxy network, String yaml) throws InterruptedException {
        Workload workload = Workload.parse("test", yaml, false);
        ExistingCluster far = new ExistingCluster(network.bootstrapServers(), Map.of(), ExistingCluster.PREFIX, false);
        Path root = Path.of(System.getProperty("weir.root"));
        return new CampaignRunner(workload, settings(root, workload, far), SILENT).run();
    }

    /** Runs a workload whose processes run in the environment, and returns its results. */
    ResultsFolder run(BenchEnvironment environment, String yaml) throws InterruptedException {
        return run(Path.of(System.getProperty("weir.root")), environment, yaml);
    }

    /** Runs a workload with the drivers below {@code root}, in the environment. */
    ResultsFolder run(Path root, BenchEnvironment environment, String yaml) throws InterruptedException {
        Workload workload = Workload.parse("test", yaml, false);
        CampaignRunner.Settings there = settings(root, workload, existing(), environment);
        return new CampaignRunner(workload, there, SILENT).run();
    }

    /** Explores the workload, which must have one driver and one combination of settings. */
    Explored explore(String yaml) throws InterruptedException {
        return explore(BenchEnvironment.HERE, yaml);
    }

    /** Explores a workload whose processes run in the environment. */
    Explored explore(BenchEnvironment environment, String yaml) throws InterruptedException {
        Workload workload = Workload.parse("test", yaml, false).alone(List.of());
        CampaignRunner.Settings there =
                settings(Path.of(System.getProperty("weir.root")), workload, existing(), environment);
        return new ExploreRunner(workload, there, null, 0, SILENT_TOO).run().getFirst();
    }

    private CampaignRunner.Settings settings(Path root, Workload workload, ExistingCluster at) {
        return new CampaignRunner.Settings(root, folder.resolve("data"), folder.resolve(workload.name()), 7, false, at);
    }

    private CampaignRunner.Settings settings(
            Path root, Workload workload, ExistingCluster at, BenchEnvironment environment) {
        CampaignRunner.Settings here = settings(root, workload, at);
        return new CampaignRunner.Settings(
                here.root(), here.data(), here.results(), here.seed(), here.resume(), here.cluster(), environment);
    }

    ExistingCluster existing() {
        return new ExistingCluster(cluster.bootstrapServers(), Map.of(), ExistingCluster.PREFIX, false);
    }

    /** Creates a folder like a checkout, with only the given drivers and main class, and returns it. */
    static Path checkoutWith(Path root, Class<?> main, String drivers) throws IOException {
        Path target = root.resolve("drivers/planted/target");
        Files.createDirectories(target.resolve("classes"));
        Files.writeString(
                target.resolve("classes/weir-driver.properties"),
                "main = " + main.getName() + "\ndrivers = " + drivers + "\nlibrary = kafka-clients\n");
        String classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(place -> Files.exists(Path.of(place)))
                .collect(Collectors.joining(File.pathSeparator));
        Files.writeString(target.resolve("driver.classpath"), classPath);
        return root;
    }

    /** Creates a checkout folder that also contains the drivers of Kafka's own client, including the generator. */
    static Path checkoutWithGenerator(Path root, Class<?> main, String drivers) throws IOException {
        checkoutWith(root, main, drivers);
        Files.createSymbolicLink(
                root.resolve("drivers/kafka"), Path.of(System.getProperty("weir.root"), "bench", "drivers", "kafka"));
        return root;
    }

    Admin admin() {
        return cluster.admin();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
