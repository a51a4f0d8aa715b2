package dev.weir.checks.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Runs the script of {@code deploy/bench/cloud-init.yaml}, with stand-ins for the commands of a new machine. */
class CloudInitTest {

    @TempDir
    private Path folder;

    private String settings = "";
    private String script = "";

    @BeforeEach
    void readFile_andMakeStandIns() throws IOException {
        JsonNode files = new ObjectMapper()
                .valueToTree(new Load(LoadSettings.builder().build())
                        .loadFromString(Files.readString(Image.ROOT.resolve("deploy/bench/cloud-init.yaml"))))
                .required("write_files");
        settings = files.get(0).required("content").asText();
        script = files.get(1).required("content").asText();
        Files.createDirectory(folder.resolve("bin"));
        for (String command : new String[] {"chown", "curl", "docker", "free", "lscpu", "sha256sum"}) {
            standIn(command, "echo " + command + " \"$@\" >>" + folder.resolve("calls"));
        }
    }

    private void standIn(String command, String text) throws IOException {
        Path file = Files.writeString(folder.resolve("bin").resolve(command), "#!/bin/sh\n" + text + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    /** Runs the script, and returns the content of the file that appears at its end. */
    private String done() throws IOException, InterruptedException {
        Path conf = Files.writeString(folder.resolve("conf"), settings);
        Path home = folder.resolve("home");
        ProcessBuilder builder = new ProcessBuilder(
                        "sh",
                        "-c",
                        script.replace("/etc/weir-bench.conf", conf.toString())
                                .replace("/var/lib/weir-bench", home.toString()))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("said").toFile());
        builder.environment().merge("PATH", folder.resolve("bin").toString(), (path, bin) -> bin + ":" + path);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        Path done = home.resolve("done");
        assertThat(done).as(Files.readString(folder.resolve("said"))).exists();
        return Files.readString(done).strip();
    }

    /** Regression: without the file, a script that waits for it never ended. */
    @Test
    void imageThatCannotBeFetched_isTheEnd_withItsExitCode() throws Exception {
        standIn("curl", "exit 22");
        assertThat(done()).isEqualTo("22");
        assertThat(Files.readString(folder.resolve("calls"))).doesNotContain("docker");
    }

    @Test
    void benchmarkThatFails_isTheEnd_withItsExitCode() throws Exception {
        standIn("docker", "[ $1 = load ] || exit 3");
        assertThat(done()).isEqualTo("3");
    }

    /** Regression: the settings showed a value without quotes, with which the script ended at once. */
    @Test
    void arguments_asTheSettingsShowThem_reachTheBenchmark() throws Exception {
        Matcher shown =
                Pattern.compile("(?m)^# .*four scenarios: (.+)\\RARGUMENTS=.*$").matcher(settings);
        assertThat(shown.find()).as(settings).isTrue();
        settings = shown.replaceFirst("ARGUMENTS=" + Matcher.quoteReplacement(shown.group(1)));
        assertThat(done()).isEqualTo("0");
        assertThat(Files.readString(folder.resolve("calls")))
                .contains(" weir-bench:")
                .endsWith(" compare --quick /opt/weir/workloads/producer.yaml\n");
    }
}
