// The page's words in English and Simplified Chinese. Words in braces are replaced by values.

const english = {
    connecting: "Connecting…",
    closed: "Not connected",
    lost: "Connection lost",
    lostHelp: "The studio's server does not answer. Takes go on without it; if it has ended, run kinecast studio again.",
    refused: "Not connected",
    refusedHelp: "This window is not connected any more; open a new one with kinecast studio.",
    noLink: "This address works only with a link; open a window with kinecast studio.",
    oldBrowser: "This browser lacks shared workers, which the page needs; open the link in another browser.",
    cannotCopy: "The browser does not allow copying; this is the link: {link}",
    serverGone: "The studio's server does not answer; run kinecast studio again.",
    idle: "Not recording",
    takes: "Running takes",
    take: "Take of {source}",
    "phase.starting": "Starting",
    "phase.recording": "Recording",
    "phase.broadcasting": "Live",
    "phase.paused": "Paused",
    "phase.finishing": "Finishing",
    "phase.ended": "Ended",
    into: "{source}, into {name}",
    end: "End",
    pause: "Pause",
    resume: "Resume",
    mute: "Mute microphone",
    unmute: "Unmute microphone",
    saveClip: "Save last {seconds} s",
    mark: "Begin a chapter",
    copyLink: "Copy link",
    "destination.launching": "starting",
    "destination.starting": "starting",
    "destination.live": "live",
    "destination.reconnecting": "reconnecting",
    "destination.paused": "paused",
    "destination.finishing": "finishing",
    "destination.ended": "ended",
    newRecording: "New recording",
    source: "Show",
    wholeScreen: "Whole screen",
    monitor: "Monitor {name}",
    chooseWindow: "A window that you choose in the desktop's dialog",
    audio: "Audio",
    systemAudio: "All that is played",
    appAudio: "Only {name}",
    noAudio: "None",
    microphone: "Microphone",
    noMicrophone: "None",
    clips: "Keep the last",
    keep: "{seconds} seconds",
    configured: "as configured",
    configuredAs: "as configured: {value}",
    choice: "Choice",
    lastUsed: "Last used",
    keepAs: "Keep as…",
    keepName: "Keep",
    cancel: "Cancel",
    name: "Name",
    remove: "Delete",
    removeSure: "Delete the choice {name}?",
    alsoSets: "{name} also sets {options}.",
    asKept: "As in {name}",
    more: "More",
    fps: "Frames a second",
    size: "Size",
    quality: "Quality",
    "quality.16": "Best, large file",
    "quality.23": "Good",
    "quality.30": "Lower, small file",
    showKeys: "Show keys",
    "showKeys.none": "None",
    "showKeys.shortcuts": "Shortcuts",
    "showKeys.all": "All, except passwords",
    showClicks: "Show clicks",
    "showClicks.true": "Yes",
    "showClicks.false": "No",
    noCursor: "Mouse pointer",
    "noCursor.false": "Shown",
    "noCursor.true": "Hidden",
    countdown: "Countdown",
    noCountdown: "None",
    hide: "Windows to hide",
    titled: "With “{name}” in the title",
    disk: "{space} free, about {time}",
    diskLow: "Only {space} free, about {time}",
    record: "Record",
    starting: "Starting…",
    looking: "Looking for screens and windows…",
    nothingToRecord: "No screen or window can be recorded here; kinecast doctor says what is missing.",
    events: "Events",
    "event.started": "Recording began.",
    "event.paused": "Paused.",
    "event.resumed": "Resumed.",
    "event.microphoneOn": "The microphone is on.",
    "event.microphoneOff": "The microphone is off.",
    "event.locked": "The screen is locked.",
    "event.unlocked": "The screen is unlocked.",
    "event.live": "{destination} is live.",
    "event.chapter": "A chapter begins: {text}.",
    "event.clip": "Saved the last {time} to {name}.",
    "event.ended": "Ended after {time}.",
    "event.saved": "Saved {time} to {name}.",
    "event.failed": "{text}",
    "event.warning": "{text}",
    "event.destinationWarning": "{destination}: {text}",
};

const chinese = {
    connecting: "正在连接…",
    closed: "未连接",
    lost: "连接已断开",
    lostHelp: "Kinecast 服务没有响应。录制会继续；如果服务已退出，请重新运行 kinecast studio。",
    refused: "未连接",
    refusedHelp: "此窗口的连接已失效；请运行 kinecast studio 打开新窗口。",
    noLink: "此页面只能通过链接打开；请运行 kinecast studio。",
    oldBrowser: "此浏览器不支持本页面所需的共享工作线程；请用其他浏览器打开链接。",
    cannotCopy: "浏览器不允许复制；链接为：{link}",
    serverGone: "Kinecast 服务没有响应；请重新运行 kinecast studio。",
    idle: "未在录制",
    takes: "正在进行的录制",
    take: "录制：{source}",
    "phase.starting": "正在开始",
    "phase.recording": "正在录制",
    "phase.broadcasting": "直播中",
    "phase.paused": "已暂停",
    "phase.finishing": "正在保存",
    "phase.ended": "已结束",
    into: "{source}，保存到 {name}",
    end: "结束",
    pause: "暂停",
    resume: "继续",
    mute: "关闭麦克风",
    unmute: "打开麦克风",
    saveClip: "保存最近 {seconds} 秒",
    mark: "新建章节",
    copyLink: "复制链接",
    "destination.launching": "正在启动",
    "destination.starting": "正在启动",
    "destination.live": "直播中",
    "destination.reconnecting": "正在重新连接",
    "destination.paused": "已暂停",
    "destination.finishing": "正在结束",
    "destination.ended": "已结束",
    newRecording: "新录制",
    source: "画面",
    wholeScreen: "整个屏幕",
    monitor: "显示器 {name}",
    chooseWindow: "在桌面对话框中选择窗口",
    audio: "声音",
    systemAudio: "系统播放的所有声音",
    appAudio: "仅 {name}",
    noAudio: "无",
    microphone: "麦克风",
    noMicrophone: "无",
    clips: "保留最近",
    keep: "{seconds} 秒",
    configured: "按配置",
    configuredAs: "按配置：{value}",
    choice: "方案",
    lastUsed: "上次使用",
    keepAs: "另存为…",
    keepName: "保存",
    cancel: "取消",
    name: "名称",
    remove: "删除",
    removeSure: "删除方案 {name}？",
    alsoSets: "{name} 还设置了 {options}。",
    asKept: "按 {name}",
    more: "更多",
    fps: "每秒帧数",
    size: "尺寸",
    quality: "画质",
    "quality.16": "最佳，文件较大",
    "quality.23": "良好",
    "quality.30": "较低，文件较小",
    showKeys: "显示按键",
    "showKeys.none": "不显示",
    "showKeys.shortcuts": "快捷键",
    "showKeys.all": "全部，密码除外",
    showClicks: "显示点击",
    "showClicks.true": "是",
    "showClicks.false": "否",
    noCursor: "鼠标指针",
    "noCursor.false": "显示",
    "noCursor.true": "隐藏",
    countdown: "倒计时",
    noCountdown: "无",
    hide: "要隐藏的窗口",
    titled: "标题含“{name}”",
    disk: "剩余 {space}，约 {time}",
    diskLow: "仅剩 {space}，约 {time}",
    record: "录制",
    starting: "正在开始…",
    looking: "正在查找屏幕和窗口…",
    nothingToRecord: "没有可录制的屏幕或窗口；请运行 kinecast doctor 查看缺少什么。",
    events: "事件",
    "event.started": "录制已开始。",
    "event.paused": "已暂停。",
    "event.resumed": "已继续录制。",
    "event.microphoneOn": "麦克风已打开。",
    "event.microphoneOff": "麦克风已关闭。",
    "event.locked": "屏幕已锁定。",
    "event.unlocked": "屏幕已解锁。",
    "event.live": "{destination} 已开始直播。",
    "event.chapter": "新章节开始：{text}。",
    "event.clip": "已将最近 {time} 保存到 {name}。",
    "event.ended": "已结束，时长 {time}。",
    "event.saved": "已保存到 {name}，时长 {time}。",
    "event.failed": "{text}",
    "event.warning": "{text}",
    "event.destinationWarning": "{destination}：{text}",
};

/** For the test that compares the languages. */
export const words = { en: english, "zh-CN": chinese };

/** The reader's language, of those that the page has. */
export const language = (() => {
    for (const wanted of navigator.languages) {
        if (/^zh\b/i.test(wanted)) return "zh-CN";
        if (/^en\b/i.test(wanted)) return "en";
    }
    return "en";
})();

/** The text of that name with its values. */
export function say(name, values = {}) {
    return words[language][name].replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

/** A time in seconds as m:ss or h:mm:ss. */
export function clock(seconds) {
    const whole = Math.floor(seconds);
    const pad = (value) => String(value).padStart(2, "0");
    const minutes = Math.floor(whole / 60);
    const rest = pad(whole % 60);
    return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${rest}`;
}

/** The name of a file. */
export function name(path) {
    return path?.slice(path.lastIndexOf("/") + 1);
}

/** A take's state in a word. */
export function state({ phase, file, destinations }) {
    const isLive = phase === "recording" && destinations.some((destination) => destination.phase === "live");
    return say(isLive ? "phase.broadcasting" : `phase.${phase}`);
}

/** A notice as a sentence. */
export function event({ kind, text, file, duration, destination }) {
    const values = { text, name: name(file), destination, time: clock(duration ?? 0) };
    if (kind === "ended" && file) return say("event.saved", values);
    if (kind === "warning" && destination) return say("event.destinationWarning", values);
    return say(`event.${kind}`, values);
}
