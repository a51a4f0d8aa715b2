package dev.weir.bench.campaign;

import dev.weir.bench.BenchException;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.cluster.BrokerRelease;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Point;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Report;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Describes the drivers that a campaign compares and the environment in which they run. Stateless. */
final class CampaignDescription {

    private static final String VALUES = "topic.valueFile.digest";
    private static final String TRACES = "topic.trace.digest";

    private CampaignDescription() {}

    /** Fails if the contents of a {@code topic.valueFile} have changed since the campaign began. */
    static void requireSameValues(Campaign begun, String digests) {
        if (!begun.environment().settings().getOrDefault(VALUES, "").equals(digests)) {
            throw new BenchException("topic.valueFile holds other values than when the campaign started:"
                    + " restore those, or start a new campaign");
        }
    }

    /** Fails if the load recorded in a {@code topic.trace} file has changed since the campaign began. */
    static void requireSameTraces(Campaign begun, Workload workload) {
        if (!begun.environment().settings().getOrDefault(TRACES, "").equals(traces(workload))) {
            throw new BenchException("topic.trace holds another load than when the campaign started:"
                    + " restore that one, or start a new campaign");
        }
    }

    private static String traces(Workload workload) {
        return workload.points().stream()
                .map(WorkloadPoint::traceDigest)
                .filter(digest -> !digest.isEmpty())
                .distinct()
                .collect(Collectors.joining(" "));
    }

    /** Returns the Kafka releases of the points' brokers; {@code first} if all points use the same one. */
    private static String releases(Workload workload, String first) {
        List<String> asked = workload.points().stream()
                .map(WorkloadPoint::brokerVersion)
                .distinct()
                .toList();
        return asked.size() == 1
                ? first
                : asked.stream().map(BrokerRelease::name).collect(Collectors.joining(", "));
    }

    static Campaign of(
            Workload workload,
            CampaignRunner.Settings settings,
            List<String> drivers,
            Map<String, Report.Hello> hellos,
            DriverLauncher launcher,
            BenchCluster cluster) {
        List<Driver> described = new ArrayList<>();
        Map<String, String> versions = new TreeMap<>(cluster.versions());
        versions.computeIfPresent("brokers", (brokers, first) -> releases(workload, first));
        for (String name : drivers) {
            Report.Hello hello = hellos.get(CampaignRunner.withoutControl(name));
            if (hello == null) {
                throw new IllegalStateException("no hello of " + name);
            }
            String library = launcher.entry(hello.driver()).library();
            String version = version(hello, library) + ", " + version(hello, "kafka-clients");
            versions.put(name, version);
            Map<String, String> own = new TreeMap<>(workload.points().get(0).client());
            own.put("jvm.arguments", String.join(" ", hello.arguments()));
            own.put("class.path", String.join(" ", hello.libraries()));
            described.add(new Driver(name, version, own));
        }
        Map<String, String> around = new TreeMap<>(cluster.settings());
        String values = cluster.topics().valueDigests(workload.points());
        if (!values.isEmpty()) {
            around.put(VALUES, values);
        }
        String traces = traces(workload);
        if (!traces.isEmpty()) {
            around.put(TRACES, traces);
        }
        around.put(Campaign.DESIGN, workload.design().label());
        around.putAll(launcher.described());
        Path folder = settings.results();
        return new Campaign(
                String.valueOf(folder.getFileName()),
                workload.name(),
                workload.text(),
                workload.baseline(),
                workload.control() ? workload.baseline() + CampaignRunner.CONTROL_SUFFIX : null,
                workload.rounds(),
                settings.seed(),
                described,
                points(workload),
                EnvironmentProbe.read(settings.root(), versions, around));
    }

    static Campaign simulated(Workload workload, CampaignRunner.Settings settings, List<String> drivers) {
        List<Driver> described = drivers.stream()
                .map(name -> new Driver(name, "a model, no library", Map.of()))
                .toList();
        Map<String, String> around = new TreeMap<>();
        around.put(Campaign.DESIGN, workload.design().label());
        around.put(Campaign.SIMULATED, "a model with its own clock");
        return new Campaign(
                String.valueOf(settings.results().getFileName()),
                workload.name(),
                workload.text(),
                workload.baseline(),
                workload.control() ? workload.baseline() + CampaignRunner.CONTROL_SUFFIX : null,
                workload.rounds(),
                settings.seed(),
                described,
                points(workload),
                EnvironmentProbe.read(settings.root(), Map.of("drivers", "simulated"), around));
    }

    private static List<Point> points(Workload workload) {
        return workload.points().stream()
                .map(point -> new Point(point.id(), point.scenario().label(), point.dimensions()))
                .toList();
    }

    private static String version(Report.Hello hello, String library) {
        return hello.libraries().stream()
                .filter(jar -> jar.startsWith(library + "-"))
                .map(jar -> jar.substring(0, jar.length() - ".jar".length()))
                .findFirst()
                .orElse(library + " (this checkout)");
    }
}
