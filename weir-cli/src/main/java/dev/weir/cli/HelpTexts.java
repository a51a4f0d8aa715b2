package dev.weir.cli;

import dev.weir.command.terminal.Shutdown;
import dev.weir.command.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** Writes the help texts that {@link Weir} prints. Run by the build after the compilation. Stateless. */
public final class HelpTexts {

    private HelpTexts() {}

    /** Writes the help texts of all commands into the file given as the only argument. */
    public static void main(String[] args) throws IOException {
        if (Weir.isPicocliTold()) {
            throw new IllegalStateException(
                    "a system property picocli.* of the build would change the help of everyone");
        }
        Files.writeString(Path.of(args[0]), ofAllCommands());
    }

    private static String ofAllCommands() {
        Terminal terminal = Terminal.ofProcess();
        StringBuilder texts = new StringBuilder();
        add(new Main(System.out, terminal, new Shutdown(terminal)).commandLine(), texts);
        return texts.toString();
    }

    private static void add(CommandLine command, StringBuilder texts) {
        texts.append(Weir.SECTION)
                .append(command.getCommandSpec().qualifiedName())
                .append('\n')
                .append(command.getUsageMessage(Ansi.ON).replace(System.lineSeparator(), "\n"));
        command.getSubcommands().values().forEach(each -> add(each, texts));
    }
}
