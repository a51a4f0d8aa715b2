package dev.weir.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.CommandHarness;
import dev.weir.command.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests campaigns whose brokers do not start. */
class BenchCampaignTest {
    private static final String ROOT = "weir.root";

    /** Root folder of the build, for later tests in this process. */
    private final String rootBefore = System.getProperty(ROOT);

    @TempDir
    private Path temp;

    private final CommandHarness harness = new CommandHarness();

    @BeforeEach
    void buildDriver() throws IOException {
        Path target = Files.createDirectories(temp.resolve("drivers/one/target/classes"));
        Files.writeString(target.resolve("weir-driver.properties"), "drivers=plain, generator\nmain=none\n");
        Files.writeString(
                target.resolveSibling("driver.classpath"),
                Files.createFile(temp.resolve("empty.jar")).toString());
        System.setProperty(ROOT, temp.toString());
    }

    @AfterEach
    void forgetDriver() {
        System.setProperty(ROOT, rootBefore);
    }

    @Test
    void campaignWithoutBrokers_isNamedAtTheEnd_andTheOthersAreBegun() throws IOException {
        Path data = Files.writeString(temp.resolve("data"), "where a folder is to be");
        int code = harness.run(
                "bench",
                "compare",
                workload("first"),
                workload("second"),
                "--data",
                data.toString(),
                "--results",
                temp.resolve("table").toString());
        assertThat(code).isEqualTo(ExitCode.FAILED);
        assertThat(harness.err())
                .contains("campaign 1/2, first: data folder ", "campaign 2/2, second: data folder ")
                .contains("\nfailed: first: data folder ", "\nfailed: second: data folder ")
                .contains("the rest: weir bench compare --resume " + temp.resolve("table"));
    }

    @Test
    void onlyCampaignThatBeginsNothing_saysWhy_withoutAWayToResumeIt() throws IOException {
        Path data = Files.writeString(temp.resolve("data"), "where a folder is to be");
        int code = harness.run("bench", "compare", workload("only"), "--data", data.toString());
        assertThat(code).isEqualTo(ExitCode.FAILED);
        assertThat(harness.err()).contains("is not writable").doesNotContain("--resume");
    }

    @Test
    void environment_thatIsNot_orThatOptionsContradict_isWrongUsage() throws IOException {
        assertThat(harness.run("bench", "compare", workload("some"), "--environment", "nowhere"))
                .isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("there is no environment nowhere");
        String here = environment("here: true");
        assertThat(harness.run(
                        "bench", "run", workload("some"), "--environment", here, "--bootstrap-server", "localhost:1"))
                .isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err()).contains("--environment names the brokers too");
    }

    /** Regression: the failure named options that nobody had given. */
    @Test
    void brokersOfAnEnvironment_thatCannotBeUsed_areNamedByItsKeys() throws IOException {
        String environment = Files.writeString(temp.resolve("there.yaml"), """
                        brokers: {bootstrapServers: "localhost:1", clientConfig: gone.properties}
                        workers: [{here: true}]
                        """).toString();
        assertThat(harness.run("bench", "run", workload("some"), "--environment", environment))
                .isEqualTo(ExitCode.WRONG_USAGE);
        assertThat(harness.err())
                .contains("the environment " + environment + ": clientConfig must be a properties file")
                .doesNotContain("--client-config");
    }

    @Test
    void workerThatCannotBeReached_isNamed_withCommandAndWhy() throws IOException {
        String environment = environment("ssh: h1, program: " + temp.resolve("no-ssh"));
        int code = harness.run("bench", "compare", workload("some"), "--environment", environment);
        assertThat(code).isEqualTo(ExitCode.FAILED);
        assertThat(harness.err())
                .contains("worker at ssh h1: cannot be reached: ")
                .contains("the command was " + temp.resolve("no-ssh") + " -T");
    }

    private String environment(String worker) throws IOException {
        return Files.writeString(
                        temp.resolve("some-environment.yaml"), "brokers: {forked: true}\nworkers: [{" + worker + "}]\n")
                .toString();
    }

    private String workload(String name) throws IOException {
        return Files.writeString(
                        temp.resolve(name + ".yaml"),
                        "name: " + name + "\nscenario: consume\ndrivers: [plain]\ntopic: {records: 1000}\n")
                .toString();
    }
}
