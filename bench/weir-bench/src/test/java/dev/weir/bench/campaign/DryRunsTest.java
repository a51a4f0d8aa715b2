package dev.weir.bench.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.process.DriverCatalog;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.GroupType;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DryRunsTest {

    @TempDir
    private Path folder;

    private Path jar;
    private DryRuns dryRuns;

    @BeforeEach
    void aDriverThatHasPassed() throws IOException {
        jar = Files.writeString(folder.resolve("library.jar"), "1");
        dryRuns = new DryRuns(folder.resolve("dry-runs"));
        dryRuns.keep(
                key("topic: {records: 5}"),
                new Report.Hello(
                        "weir",
                        1,
                        List.of(Scenario.CONSUME),
                        List.of(),
                        GroupType.CONSUMER,
                        "JVM",
                        List.of("a.jar"),
                        List.of("-Xmx1g"),
                        1));
    }

    @Test
    void whatHasPassed_isKept() {
        Report.Hello hello = Objects.requireNonNull(dryRuns.passed(key("topic: {records: 7}\nmethod: {rounds: 3}")));
        assertThat(hello.scenarios()).containsExactly(Scenario.CONSUME);
    }

    @Test
    void otherSettings_areToBeShownToPass() {
        assertThat(dryRuns.passed(key("client: {fetch.min.bytes: 7}"))).isNull();
    }

    @Test
    void otherFiles_areToBeShownToPass() throws IOException {
        Files.writeString(jar, "22");
        assertThat(dryRuns.passed(key("topic: {records: 5}"))).isNull();
    }

    private String key(String line) {
        WorkloadPoint point = Workload.parse(
                        "w.yaml", "name: small\nscenario: consume\ndrivers: [plain]\n" + line + "\n", false)
                .points()
                .getFirst();
        return DryRuns.key(
                "weir", new DriverCatalog.Entry("Main", jar.toString(), "library", "", false, false, ""), point);
    }
}
