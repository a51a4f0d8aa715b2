package dev.weir.bench.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.workload.Workload;
import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchPlanTest {

    @TempDir
    private Path temp;

    @Test
    void severalFiles_areFoundAgain_begunOrNot() {
        BenchPlan plan = BenchPlan.ofSeveral(List.of(workload("b"), workload("a")), temp.resolve("table"));
        assertThat(plan.steps())
                .extracting(step -> step.workload().name(), BenchPlan.Step::isDone)
                .containsExactly(tuple("b", false), tuple("a", false));
        begin(plan.steps().get(0));

        BenchPlan again = BenchPlan.ofFolder(plan.folder());

        assertThat(again.steps()).extracting(BenchPlan.Step::workload).containsExactly(workload("a"), workload("b"));
        assertThat(again.steps()).extracting(BenchPlan.Step::folder).containsExactly(folder("a"), folder("b"));
        assertThat(again.steps().get(0).begun()).isNull();
        assertThat(again.steps().get(1).begun()).isNotNull();
        assertThat(again.steps().get(1).isDone()).as("no run is done").isFalse();
        assertThat(BenchPlan.ofFolder(folder("b")).steps())
                .as("one of them by itself")
                .extracting(BenchPlan.Step::workload)
                .containsExactly(workload("b"));
    }

    @Test
    void reportThatCannotBeWritten_isPrinted_andMadeLater() throws IOException {
        BenchPlan plan = BenchPlan.ofOne(workload("v"), temp.resolve("results"));
        begin(plan.steps().getFirst());
        Path inTheWay = Files.createDirectories(plan.folder().resolve("report.html/taken"));
        CommandHarness harness = new CommandHarness();
        assertThat(harness.run("bench", "report", plan.folder().toString())).isEqualTo(ExitCode.FAILED);
        assertThat(harness.out()).contains("v: ratios to plain");
        assertThat(harness.err()).contains("cannot write ", "the results are whole, and 'weir bench report ");
        assertThat(plan.folder().resolve("report.html.new")).doesNotExist();
        Files.delete(inTheWay);
        Files.delete(inTheWay.getParent());
        assertThat(new CommandHarness().run("bench", "report", plan.folder().toString()))
                .isEqualTo(ExitCode.DONE);
    }

    @Test
    void results_areReported_thoughAFileOfTheWorkloadIsGone() throws IOException {
        Path values = Files.writeString(temp.resolve("values"), "one");
        String yaml = "name: v\nscenario: consume\ndrivers: [plain, weir]\ntopic: {valueFile: " + values + "}\n";
        BenchPlan plan = BenchPlan.ofOne(Workload.parse("v", yaml, false), temp.resolve("results"));
        begin(plan.steps().getFirst());
        Files.delete(values);
        assertThat(BenchPlan.results(plan.folder()))
                .extracting(ResultsFolder::path)
                .containsExactly(plan.folder());
        assertThatThrownBy(() -> BenchPlan.ofFolder(plan.folder()))
                .as("to resume, it is needed")
                .hasMessageContaining("topic.valueFile");
    }

    @Test
    void results_ofSeveralCampaigns_areThoseThatWereBegun() {
        BenchPlan plan = BenchPlan.ofSeveral(List.of(workload("b"), workload("a")), temp.resolve("table"));
        begin(plan.steps().get(0));
        assertThat(BenchPlan.results(plan.folder()))
                .extracting(ResultsFolder::path)
                .containsExactly(folder("b"));
    }

    @Test
    void folderWithoutCampaigns_isRefused_whatElseItHolds() {
        assertThatThrownBy(() -> BenchPlan.results(Path.of(System.getProperty("weir.root"), "bench", "workloads")))
                .hasMessageContaining("no campaign.json");
        assertThatThrownBy(() -> BenchPlan.ofFolder(Path.of(System.getProperty("weir.root"), "bench", "workloads")))
                .hasMessageContaining("no campaign.json");
    }

    @Test
    void folderThatHoldsCampaigns_isNotWrittenTo() {
        BenchPlan.ofSeveral(List.of(workload("a"), workload("b")), temp);
        assertThatThrownBy(() -> BenchPlan.ofSeveral(List.of(workload("c"), workload("d")), temp))
                .isInstanceOf(CliFailure.class)
                .hasMessageContaining("holds campaigns already");
    }

    @Test
    void filesOfOneName_areRefused() {
        assertThatThrownBy(() -> BenchPlan.ofSeveral(List.of(workload("a"), workload("a")), temp))
                .hasMessageContaining("two of the files have the name a");
    }

    private Path folder(String name) {
        return temp.resolve("table").resolve(name);
    }

    private static Workload workload(String name) {
        String yaml = "name: " + name + "\nscenario: consume\ndrivers: [plain, weir]\n"
                + "method: {control: false}\nquick: {method.rounds: 2}\n";
        return Workload.parse(name, yaml, true);
    }

    private static void begin(BenchPlan.Step step) {
        ResultsFolder.create(
                step.folder(),
                new Campaign(
                        "id",
                        step.workload().name(),
                        step.workload().text(),
                        "plain",
                        null,
                        2,
                        1,
                        List.of(new Driver("plain", "1", Map.of()), new Driver("weir", "1", Map.of())),
                        List.of(new Point("consume", "consume", Map.of())),
                        new Environment("", "", "", 2, 1, Map.of(), Map.of(), "", 0)));
    }
}
