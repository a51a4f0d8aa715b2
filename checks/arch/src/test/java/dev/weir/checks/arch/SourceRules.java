package dev.weir.checks.arch;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CatchTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/**
 * Rules for source files about lengths, comments and imports, which the formatter does not apply. Uses the compiler's
 * parser. Confined to one thread.
 */
final class SourceRules {

    private static final int MAX_FILE_LINES = 800;
    private static final int MAX_METHOD_LINES = 60;

    private static final Pattern OPEN_TASK = Pattern.compile("(TO[D]O|FIX[M]E|XX[X])(?!\\s*#\\d)");

    /** A comment beyond column 120. Links are exempt. */
    private static final Pattern LONG_COMMENT = Pattern.compile("(?=.{121})(?!.*https?://)\\s*(//|/\\*|\\*).*");

    private static final Pattern NO_CODE = Pattern.compile("\\s*(//.*)?");
    private static final Pattern MAY_BE_SWALLOWED = Pattern.compile("expected|ignored");

    private final List<String> violations = new ArrayList<>();

    private SourceRules() {}

    /** Returns the violations in the given files, each with file and line. */
    static List<String> violations(List<? extends JavaFileObject> files) throws IOException {
        SourceRules rules = new SourceRules();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask task = (JavacTask) compiler.getTask(null, null, null, List.of("-proc:none"), null, files);
        Trees trees = Trees.instance(task);
        for (CompilationUnitTree unit : task.parse()) {
            String code = unit.getSourceFile().getCharContent(true).toString();
            rules.checkLines(unit, code.lines().toList());
            rules.new Scan(unit, code, trees).scan(unit, null);
        }
        return rules.violations;
    }

    private void checkLines(CompilationUnitTree unit, List<String> lines) {
        if (lines.size() > MAX_FILE_LINES) {
            report(unit, 1, lines.size() + " lines: a class over 800 lines has more than one job; split it by job");
        }
        for (int line = 1; line <= lines.size(); line++) {
            String text = lines.get(line - 1);
            if (OPEN_TASK.matcher(text).find()) {
                report(unit, line, "an open task names its issue (#12) or is deleted");
            }
            if (LONG_COMMENT.matcher(text).matches()) {
                report(unit, line, "a comment ends at column 120");
            }
        }
    }

    private void report(CompilationUnitTree unit, long line, String what) {
        violations.add(unit.getSourceFile().getName() + ":" + line + ": " + what);
    }

    private final class Scan extends TreePathScanner<Void, Void> {

        private final CompilationUnitTree unit;
        private final String code;
        private final Trees trees;
        private final SourcePositions positions;

        Scan(CompilationUnitTree unit, String code, Trees trees) {
            this.unit = unit;
            this.code = code;
            this.trees = trees;
            this.positions = trees.getSourcePositions();
        }

        @Override
        public Void visitImport(ImportTree tree, Void unused) {
            if (tree.getQualifiedIdentifier().toString().endsWith(".*")) {
                report(tree, "imports name each type");
            }
            return null;
        }

        @Override
        public Void visitClass(ClassTree tree, Void unused) {
            if (isPublic(getCurrentPath()) && trees.getDocComment(getCurrentPath()) == null) {
                report(tree, "a public type says what it is and which thread may use it");
            }
            return super.visitClass(tree, null);
        }

        /** Returns whether the type and all types around it are public. */
        private static boolean isPublic(TreePath path) {
            if (!(path.getLeaf() instanceof ClassTree type)) {
                return path.getLeaf() instanceof CompilationUnitTree;
            }
            boolean isOfInterface = path.getParentPath().getLeaf() instanceof ClassTree around
                    && (around.getKind() == Tree.Kind.INTERFACE || around.getKind() == Tree.Kind.ANNOTATION_TYPE);
            return (isOfInterface || type.getModifiers().getFlags().contains(Modifier.PUBLIC))
                    && isPublic(path.getParentPath());
        }

        @Override
        public Void visitMethod(MethodTree tree, Void unused) {
            if (tree.getBody() != null) {
                long lines = text(tree.getBody())
                        .lines()
                        .filter(line -> !NO_CODE.matcher(line).matches())
                        .count();
                if (lines > MAX_METHOD_LINES) {
                    report(tree, lines + " lines: a method over 60 cannot be read at a glance; name its parts");
                }
            }
            return super.visitMethod(tree, null);
        }

        @Override
        public Void visitCatch(CatchTree tree, Void unused) {
            BlockTree block = tree.getBlock();
            boolean isEmpty = text(block).replaceAll("[{}\\s]", "").isEmpty();
            if (isEmpty
                    && !MAY_BE_SWALLOWED.matcher(tree.getParameter().getName()).matches()) {
                report(tree, "a swallowed fault is a lost fault: handle it, or name it ignored and say why");
            }
            return super.visitCatch(tree, null);
        }

        private String text(Tree tree) {
            return code.substring(
                    Math.toIntExact(positions.getStartPosition(unit, tree)),
                    Math.toIntExact(positions.getEndPosition(unit, tree)));
        }

        private void report(Tree tree, String what) {
            long line = unit.getLineMap().getLineNumber(positions.getStartPosition(unit, tree));
            SourceRules.this.report(unit, line, what);
        }
    }
}
