package dev.weir.bench.command;

import dev.weir.bench.campaign.CampaignRunner;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.workload.Workload;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.Secrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Campaigns that run one after the other. Immutable.
 *
 * <pre>
 * FOLDER/NAME.workload.yaml    a copy of the workload, used by --resume if the campaign has not started yet
 * FOLDER/NAME/                 its results
 * </pre>
 *
 * <p>For a single workload file, {@code FOLDER} itself holds the results.
 *
 * @param folder the argument of {@code --resume}
 */
record BenchPlan(Path folder, List<Step> steps) {
    private static final String YAML = ".workload.yaml";

    /**
     * One campaign of the plan, with its results so far.
     *
     * @param begun the results so far; null if the campaign has not started
     */
    record Step(Workload workload, Path folder, @Nullable ResultsFolder begun) {

        boolean isDone() {
            return begun != null && begun.isComplete();
        }
    }

    static BenchPlan ofOne(Workload workload, @Nullable Path results) {
        Path folder = results != null ? results : Path.of("bench-results", CampaignRunner.newId(workload));
        return new BenchPlan(folder, List.of(new Step(workload, folder, null)));
    }

    /** Plans the campaigns of several files, and stores a copy of each file. */
    static BenchPlan ofSeveral(List<Workload> workloads, @Nullable Path results) {
        Path folder = results != null
                ? results
                : Path.of(
                        "bench-results",
                        CampaignRunner.newId("table", workloads.get(0).isQuick()));
        List<Step> steps = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Workload workload : workloads) {
            if (!names.add(workload.name())) {
                throw CliFailure.usage("two of the files have the name " + workload.name(), "");
            }
            steps.add(new Step(workload, folder.resolve(workload.name()), null));
        }
        try {
            if (Files.isDirectory(folder) && !names(folder).isEmpty()) {
                throw CliFailure.usage(folder + " holds campaigns already", "Name another folder, or --resume it.");
            }
            Files.createDirectories(folder);
            for (Workload workload : workloads) {
                Files.writeString(folder.resolve(workload.name() + YAML), Secrets.redact(workload.text()));
            }
        } catch (IOException e) {
            throw CliFailure.work("cannot write to " + folder + ": " + CliFailure.reason(e), "");
        }
        return new BenchPlan(folder, List.copyOf(steps));
    }

    /**
     * Returns the plan for a results folder of one or several campaigns. The plan contains both the finished and the
     * remaining campaigns.
     */
    static BenchPlan ofFolder(Path folder) {
        List<Step> steps = new ArrayList<>();
        try {
            for (String name : ResultsFolder.isAt(folder) ? List.<String>of() : names(folder)) {
                Path results = folder.resolve(name);
                steps.add(
                        ResultsFolder.isAt(results)
                                ? begun(results)
                                : new Step(
                                        Workload.ofText(Files.readString(folder.resolve(name + YAML))), results, null));
            }
        } catch (IOException e) {
            throw CliFailure.work("cannot read " + folder + ": " + CliFailure.reason(e), "");
        }
        return new BenchPlan(folder, steps.isEmpty() ? List.of(begun(folder)) : List.copyOf(steps));
    }

    /** Returns the results to report from a folder with one or several campaigns. Does not read workload files. */
    static List<ResultsFolder> results(Path folder) {
        try {
            List<String> names = ResultsFolder.isAt(folder) ? List.of() : names(folder);
            List<ResultsFolder> begun = names.stream()
                    .map(folder::resolve)
                    .filter(ResultsFolder::isAt)
                    .map(ResultsFolder::open)
                    .toList();
            if (begun.isEmpty() && !names.isEmpty()) {
                throw new IllegalArgumentException(
                        folder + " has no results: none of its campaigns has started; --resume starts them");
            }
            return names.isEmpty() ? List.of(ResultsFolder.open(folder)) : begun;
        } catch (IOException e) {
            throw CliFailure.work("cannot read " + folder + ": " + CliFailure.reason(e), "");
        }
    }

    private static Step begun(Path folder) {
        ResultsFolder results = ResultsFolder.open(folder);
        return new Step(CampaignRunner.workloadOf(results.campaign()), folder, results);
    }

    private static List<String> names(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.endsWith(YAML))
                    .map(name -> name.substring(0, name.length() - YAML.length()))
                    .sorted()
                    .toList();
        }
    }
}
