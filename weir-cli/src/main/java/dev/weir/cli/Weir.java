package dev.weir.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entry point of the program {@code weir}. Prints {@code --version} and each command's {@code --help} itself,
 * because loading picocli takes long. Passes everything else to {@link Main}. {@link HelpTexts} generates the help when
 * Weir is built. Stateless.
 */
public final class Weir {

    /**
     * Resource with the help texts. An entry is a form feed, the command's name, a line feed and the command's help
     * with colour codes.
     */
    static final String TEXTS = "help.txt";

    static final char SECTION = '\f';

    /** Environment variables that picocli reads to decide whether to use colours. */
    private static final List<String> CHOICES = List.of("NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "ConEmuANSI");

    private static final String COLOUR = "\033\\[[0-9;]*m";

    private Weir() {}

    /** Runs one command line and ends the process with its exit code. */
    public static void main(String[] args) {
        String answer = answer(isColoured(), args);
        if (answer == null) {
            Main.main(args);
        } else {
            System.out.print(answer);
            System.out.flush();
        }
    }

    /**
     * Returns the help or version that {@code args} request; null if {@link Main} must handle them.
     *
     * @param coloured whether to print the help in colour; null if only picocli can decide
     */
    static @Nullable String answer(@Nullable Boolean coloured, String... args) {
        String last = args.length == 0 ? "" : args[args.length - 1];
        if (args.length == 1 && (last.equals("--version") || last.equals("-V"))) {
            return String.join(System.lineSeparator(), Versions.lines()) + System.lineSeparator();
        }
        if (coloured == null || !(last.equals("--help") || last.equals("-h"))) {
            return null;
        }
        StringBuilder name = new StringBuilder("weir");
        for (int i = 0; i < args.length - 1; i++) {
            // Spaces join the words of a command's name here. Main handles an argument that contains one.
            if (args[i].indexOf(' ') >= 0) {
                return null;
            }
            name.append(' ').append(args[i]);
        }
        String help = section(name.toString());
        if (help == null) {
            return null;
        }
        return (coloured ? help : help.replaceAll(COLOUR, "")).replace("\n", System.lineSeparator());
    }

    /** Returns whether a system property configures picocli, for example {@code picocli.ansi}. */
    static boolean isPicocliTold() {
        return System.getProperties().stringPropertyNames().stream().anyMatch(name -> name.startsWith("picocli."));
    }

    private static @Nullable String section(String name) {
        String texts;
        try (InputStream in = Weir.class.getResourceAsStream(TEXTS)) {
            if (in == null) {
                return null;
            }
            texts = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String start = SECTION + name + '\n';
        int at = texts.indexOf(start);
        if (at < 0) {
            return null;
        }
        int end = texts.indexOf(SECTION, at + 1);
        return texts.substring(at + start.length(), end < 0 ? texts.length() : end);
    }

    /** Returns whether standard output supports colours; null if only picocli can decide. */
    @SuppressWarnings("SystemConsoleNull") // picocli finds out whether a console is a terminal
    static @Nullable Boolean isColoured() {
        for (String choice : CHOICES) {
            if (System.getenv(choice) != null) {
                return null;
            }
        }
        if (isPicocliTold()) {
            return null;
        }
        // The launchers run "test -t 1". Before Java 22, Java's own check needs standard input to be a terminal.
        String terminal = System.getProperty("weir.terminal.out");
        if (terminal != null) {
            return Boolean.valueOf(terminal);
        }
        return System.console() == null ? Boolean.FALSE : null;
    }
}
