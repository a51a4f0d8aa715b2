package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.command.terminal.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** Tests that answers given without picocli equal picocli's output. */
class WeirTest {

    /** Returns all commands, including hidden commands, as the words after {@code weir}. */
    static Stream<String> commands() {
        Set<String> names = new TreeSet<>();
        addNames(new CommandHarness().weir.commandLine(), "", names);
        assertThat(names).contains("", "demo", "bench compare", "bench results gate", "warm-up");
        return names.stream();
    }

    private static void addNames(CommandLine line, String name, Set<String> names) {
        names.add(name);
        line.getSubcommands().forEach((word, each) -> addNames(each, (name + " " + word).strip(), names));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void help_ofEachCommand_isThatOfPicocli(String command) {
        for (String option : List.of("--help", "-h")) {
            String[] line = line(command, option);
            CommandHarness harness = new CommandHarness();
            assertThat(harness.run(line)).isEqualTo(ExitCode.DONE);
            assertThat(withoutBlanksAtEnds(Objects.requireNonNull(Weir.answer(false, line))))
                    .isNotBlank()
                    .isEqualTo(withoutBlanksAtEnds(harness.out()));
        }
    }

    /** Picocli leaves a blank at the line breaks of coloured text only. */
    private static String withoutBlanksAtEnds(String text) {
        return text.replaceAll("(?m) +$", "");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void help_onATerminal_hasPicoclisColours(String command) {
        CommandLine line = new CommandHarness().weir.commandLine();
        for (String word : line(command)) {
            line = Objects.requireNonNull(line.getSubcommands().get(word));
        }
        assertThat(Weir.answer(true, line(command, "--help"))).isEqualTo(line.getUsageMessage(Ansi.ON));
    }

    @Test
    void version_isThatOfPicocli() {
        for (String option : List.of("--version", "-V")) {
            CommandHarness harness = new CommandHarness();
            assertThat(harness.run(option)).isEqualTo(ExitCode.DONE);
            assertThat(Weir.answer(null, option)).isEqualTo(harness.out());
        }
    }

    /** Only picocli can interpret these arguments. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "demo",
                "no-such-command --help",
                "bench\ncompare --help",
                "--help demo",
                "demo --json --help",
                "demo --version",
                "--hel"
            })
    void otherLines_areLeftToPicocli(String line) {
        assertThat(Weir.answer(false, line(line))).isNull();
    }

    /** The words are one quoted argument. */
    @Test
    void wordWithABlank_isLeftToPicocli() {
        assertThat(Weir.answer(false, "bench compare", "--help")).isNull();
    }

    /** Users can set, for example, picocli's text width or colours. */
    @Test
    void colours_whenPicocliIsTold_areLeftToIt() {
        System.setProperty("picocli.usage.width", "140");
        try {
            assertThat(Weir.isColoured()).isNull();
        } finally {
            System.clearProperty("picocli.usage.width");
        }
    }

    @Test
    void help_ofWhichOnlyPicocliKnowsTheColours_isLeftToIt() {
        assertThat(Weir.answer(null, "--help")).isNull();
    }

    private static String[] line(String command, String... more) {
        List<String> words = new ArrayList<>();
        if (!command.isEmpty()) {
            words.addAll(List.of(command.split(" ", -1)));
        }
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }
}
